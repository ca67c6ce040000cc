#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// Each case is tried with a client that is known to be right.
    @Suite("Servers with certificates", .timeLimit(.minutes(60)), .paced, .enabled(if: Curl.isThere, Curl.comment))
    struct TestCertificatesTests {
        private let curl = Curl()

        private func pin(_ identity: TestCertificates.Identity) -> String {
            identity.pin.replacing("sha256/", with: "sha256//", maxReplacements: 1)
        }

        @Test func `are trusted, or not, as they should be`() async throws {
            let certificates = try await TestCertificates()
            let cases: [(TestCertificates.Identity, authority: URL, code: Int32)] = [
                (certificates.server, certificates.authority.certificate, 0),
                (certificates.server, certificates.selfSigned.certificate, 60),
                (certificates.expired, certificates.authority.certificate, 60),
                (certificates.otherHost, certificates.authority.certificate, 60),
                (certificates.selfSigned, certificates.authority.certificate, 60),
                (certificates.selfSigned, certificates.selfSigned.certificate, 0),
            ]
            for (identity, authority, code) in cases {
                var options = NginxServer.Options()
                options.identity = identity
                let server = try await NginxServer(options)
                let url = server.baseURL + "small"
                #expect(try await self.curl.code("--cacert", authority.path, url) == code, "\(identity.certificate)")
                // The reason of the refusals is the certificate and nothing else.
                #expect(try await self.curl.code("-k", "--pinnedpubkey", self.pin(identity), url) == 0)
                #expect(try await self.curl.code("-k", "--pinnedpubkey", self.pin(certificates.client), url) == 90)
            }
        }

        @Test func `may ask for the certificate of the client`() async throws {
            let certificates = try await TestCertificates()
            var options = NginxServer.Options()
            options.identity = certificates.server
            options.clientAuthority = certificates.authority.certificate
            options.isHTTP2 = true
            let server = try await NginxServer(options)
            let (url, authority) = (server.baseURL + "about", certificates.authority.certificate.path)
            #expect(try await self.curl.status("--cacert", authority, url) == "400")
            let text = try await self.curl.get(
                "--cacert", authority, "--cert", certificates.client.certificate.path,
                "--key", certificates.encryptedClientKey.path, "--pass", TestCertificates.passphrase, url)
            let about = NginxServer.About(Data(text.utf8))
            #expect(about.clientName == "CN=client")
            #expect(about.httpVersion == "HTTP/2.0")
            #expect(about.tlsVersion == "TLSv1.3")
        }

        @Test(arguments: [OpenSSLServer.Options.Version.tls1_1, .tls1_2, .tls1_3])
        func `may be shown in any version of TLS`(version: OpenSSLServer.Options.Version) async throws {
            let certificates = try await TestCertificates()
            let server = try await OpenSSLServer(OpenSSLServer.Options(identity: certificates.server, version: version))
            let authority = certificates.authority.certificate.path
            let old = ["--tlsv1.1", "--tls-max", "1.1", "--ciphers", "DEFAULT:@SECLEVEL=0"]
            let code = try await self.curl.code("--cacert", authority, server.baseURL)
            #expect(code == (version == .tls1_1 ? 35 : 0))
            let oldCode = try await self.curl.code(
                old[0], old[1], old[2], old[3], old[4], "--cacert", authority, server.baseURL)
            #expect(oldCode == (version == .tls1_1 ? 0 : 35))
        }

        @Test func `are asked for by openssl as well, which ends the handshake`() async throws {
            let certificates = try await TestCertificates()
            let authority = certificates.authority.certificate
            let server = try await OpenSSLServer(
                OpenSSLServer.Options(identity: certificates.server, clientAuthority: authority))
            #expect([35, 56].contains(try await self.curl.code("--cacert", authority.path, server.baseURL)))
            let client = certificates.client
            let text = try await self.curl.get(
                "--cacert", authority.path, "--cert", client.certificate.path, "--key", client.key.path, server.baseURL)
            #expect(text.contains("CN=client") || text.contains("CN = client"))
            server.stop()
            #expect(try await self.curl.code(server.baseURL) == 7)
        }

        @Test func `go with the last copy`() async throws {
            var certificates: TestCertificates? = try await TestCertificates()
            let file = try #require(certificates?.server.key)
            #expect(FileManager.default.fileExists(atPath: file.path))
            certificates = nil
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }
#endif
