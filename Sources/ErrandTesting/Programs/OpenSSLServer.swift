#if os(Linux) || os(macOS)
    package import Foundation

    /// The server of the `openssl` program, for features that nginx lacks.
    ///
    /// These are old versions of TLS, and ending the handshake of a client without a certificate. It responds to every
    /// target with a page about the connection.
    package final class OpenSSLServer: Sendable {
        /// The options of a server.
        package struct Options: Sendable {
            /// A version of TLS.
            package enum Version: String, Sendable {
                /// TLS 1.1 (RFC 4346), which is not secure.
                case tls1_1 = "-tls1_1"
                /// TLS 1.2 (RFC 5246).
                case tls1_2 = "-tls1_2"
                /// TLS 1.3 (RFC 8446).
                case tls1_3 = "-tls1_3"
            }

            /// The certificate.
            package var identity: TestCertificates.Identity
            /// The only version of TLS that it supports.
            package var version: Version
            /// The authority for client certificates, which are required then.
            package var clientAuthority: URL?

            /// Creates options.
            package init(identity: TestCertificates.Identity, version: Version = .tls1_2, clientAuthority: URL? = nil) {
                self.identity = identity
                self.version = version
                self.clientAuthority = clientAuthority
            }

            var arguments: [String] {
                // TLS 1.1 needs digests that are not secure either.
                ["s_server", "-accept", "127.0.0.1:0", "-www", "-cipher", "DEFAULT:@SECLEVEL=0", self.version.rawValue]
                    + ["-cert", self.identity.certificate.path, "-key", self.identity.key.path]
                    + (self.clientAuthority.map { ["-CAfile", $0.path, "-Verify", "1", "-verify_return_error"] } ?? [])
            }
        }

        /// The URL of its root, with a slash at its end.
        package let baseURL: String
        private let child: ChildProcess

        /// Starts a server, which accepts connections when this returns.
        ///
        /// - Throws: ``ProgramError`` if `openssl` is not installed or does not start.
        package init(_ options: Options) async throws(ProgramError) {
            guard let openssl = TestProgram.openssl else { throw ProgramError("openssl is not installed") }
            let child = try await ChildProcess.start(openssl, options.arguments)
            let line = await child.line { $0.hasPrefix("ACCEPT ") }
            guard let port = line?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
                throw ProgramError("openssl s_server did not start: \(child.complaint)")
            }
            self.child = child
            self.baseURL = "https://127.0.0.1:\(port)/"
        }

        /// Ends the server and waits until it has ended; does nothing if it has.
        package func stop() {
            self.child.stop()
        }
    }
#endif
