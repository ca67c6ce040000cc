#if os(Linux) || os(macOS)
    package import Foundation

    /// An nginx of its own: on a free port of 127.0.0.1, with everything it writes in a temporary folder.
    ///
    /// It serves, over HTTP or HTTPS,
    ///
    /// | target | answer |
    /// |---|---|
    /// | `/small` | 1 KiB of text |
    /// | `/about` | what nginx knows about the exchange, in ``About``'s form |
    /// | `/files/NAME` | a file made by ``addFile(_:size:)`` |
    /// | `PUT /uploads/NAME` | 201 or 204 once the body is in ``upload(_:)``; `GET` sends it back |
    /// | `/sink` | 204 once the body was read; it is thrown away |
    ///
    /// and the same without TLS on ``unixSocket``. Each answer has the number of its connection in `X-Connection`. It
    /// ends with ``stop()``, when it is let go of, and as ``ChildProcess`` says.
    package final class NginxServer: Sendable {
        /// How a server is set up.
        package struct Options: Sendable {
            /// How many processes serve.
            package var workers = 1
            /// The certificate; without one there is no TLS.
            package var identity: TestCertificates.Identity?
            /// The versions of TLS, in nginx's words.
            package var tlsVersions = "TLSv1.2 TLSv1.3"
            /// The authority whose certificates clients have to show; nginx answers 400 to those that do not.
            package var clientAuthority: URL?
            /// Whether HTTP/2 is spoken: instead of HTTP/1.1 without TLS, and if the client wants to with it.
            package var isHTTP2 = false
            /// More of nginx's own words, for all servers.
            package var rules = ""
            /// More places to ask for, in nginx's own words.
            package var locations = ""

            /// Creates the standard options.
            package init() {}
        }

        /// The port it listens on.
        package let port: UInt16
        /// The path of the socket it listens on as well, without TLS.
        package var unixSocket: String { self.folder.file("http.sock").path }
        /// The address of its root, with a slash at its end.
        package let baseURL: String

        private let folder: TestFolder
        private let reservation: ReservedPort
        private let child: ChildProcess

        /// Starts a server, which accepts connections when this returns.
        ///
        /// - Throws: `ProgramError` when there is no nginx or it does not start, `CocoaError` when files cannot be
        ///   made.
        package init(_ options: Options = Options()) async throws {
            guard let nginx = TestProgram.nginx else { throw ProgramError("nginx is not installed") }
            let (folder, reservation) = (try TestFolder(), try ReservedPort())
            for name in ["files", "uploads"] {
                try FileManager.default.createDirectory(
                    at: folder.url.appending(path: name), withIntermediateDirectories: false)
            }
            let configuration = NginxConfiguration(options: options, folder: folder.url, port: reservation.number)
            try Data(configuration.text.utf8).write(to: folder.file("nginx.conf"))
            let child = try await ChildProcess.start(
                nginx, ["-p", folder.url.path, "-c", folder.file("nginx.conf").path, "-e", "stderr"])
            // Said when the sockets are listening.
            guard await child.line(where: { $0.contains("event method") }) != nil else {
                throw ProgramError("nginx did not start: \(child.complaint)")
            }
            self.folder = folder
            self.reservation = reservation
            self.child = child
            self.port = reservation.number
            self.baseURL = "\(options.identity == nil ? "http" : "https")://127.0.0.1:\(reservation.number)/"
        }

        deinit {
            // Before the folder goes, which may be any moment now.
            self.child.stop()
        }

        /// Ends the server and waits until it is gone; does nothing when it is.
        package func stop() {
            self.child.stop()
        }

        // MARK: - Files

        /// Makes a file of zeros that takes no room on the disk, and answers its target.
        package func addFile(_ name: String, size: UInt64) throws -> String {
            let file = self.folder.file("files/\(name)")
            try Data().write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: size)
            try handle.close()
            return "files/\(name)"
        }

        /// The file that an upload of a name is put into.
        package func upload(_ name: String) -> URL {
            self.folder.file("uploads/\(name)")
        }
    }
#endif
