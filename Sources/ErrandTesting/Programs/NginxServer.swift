#if os(Linux) || os(macOS)
    package import Foundation

    /// A private nginx on a free port of 127.0.0.1, with all its files in a temporary folder.
    ///
    /// It serves, over HTTP or HTTPS,
    ///
    /// | target | response |
    /// |---|---|
    /// | `/small` | 1 KiB of text |
    /// | `/about` | facts about the exchange, in ``About``'s form |
    /// | `/files/NAME` | a file created by ``addFile(_:size:)`` |
    /// | `PUT /uploads/NAME` | 201 or 204 once the body is in ``upload(_:)``; `GET` sends it back |
    /// | `/sink` | 204 once the body was read and discarded |
    ///
    /// and the same without TLS on ``unixSocket``. Each response has the number of its connection in `X-Connection`.
    /// The server ends with ``stop()``, when it is released, and as described for ``ChildProcess``.
    package final class NginxServer: Sendable {
        /// The options of a server.
        package struct Options: Sendable {
            /// The number of worker processes.
            package var workers = 1
            /// The certificate; `nil` disables TLS.
            package var identity: TestCertificates.Identity?
            /// The versions of TLS, in nginx syntax.
            package var tlsVersions = "TLSv1.2 TLSv1.3"
            /// The authority for client certificates, which are required then: nginx responds with 400 to clients
            /// without one.
            package var clientAuthority: URL?
            /// True for HTTP/2: instead of HTTP/1.1 without TLS, and negotiated with TLS.
            package var isHTTP2 = false
            /// Additional nginx directives for all servers.
            package var rules = ""
            /// Additional locations, in nginx syntax.
            package var locations = ""

            /// Creates the default options.
            package init() {}
        }

        /// The port on which it listens.
        package let port: UInt16
        /// The path of the socket on which it also listens, without TLS.
        package var unixSocket: String { self.folder.file("http.sock").path }
        /// The URL of its root, with a slash at its end.
        package let baseURL: String

        private let folder: TestFolder
        private let reservation: ReservedPort
        private let child: ChildProcess

        /// Starts a server, which accepts connections when this returns.
        ///
        /// - Throws: `ProgramError` if nginx is not installed or does not start, `CocoaError` if files cannot be
        ///   created.
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
            // Logged when the sockets are listening.
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
            // Before the folder is removed, which may happen at any moment now.
            self.child.stop()
        }

        /// Ends the server and waits until it has ended; does nothing if it has.
        package func stop() {
            self.child.stop()
        }

        // MARK: - Files

        /// Creates a sparse file of zeros, and returns its target.
        package func addFile(_ name: String, size: UInt64) throws -> String {
            let file = self.folder.file("files/\(name)")
            try Data().write(to: file)
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: size)
            try handle.close()
            return "files/\(name)"
        }

        /// Returns the file of an upload.
        package func upload(_ name: String) -> URL {
            self.folder.file("uploads/\(name)")
        }
    }
#endif
