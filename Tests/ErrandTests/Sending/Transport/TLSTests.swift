internal import ErrandLocks

#if os(Linux)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @Suite("TLS with libcurl", .timeLimit(.minutes(60)), .paced, .enabled(if: TLSScene.isPossible, TLSScene.comment))
    struct TLSTests {
        // MARK: - Trust

        @Test func `trusts who an authority vouches for, and nobody else`() async throws {
            let scene = try await TLSScene()
            let all = scene.certificates
            let (own, other) = (scene.authority, TLSPolicy.Trust.authorities([.file(all.selfSigned.certificate)]))
            let cases: [(name: String, TestCertificates.Identity, TLSPolicy.Trust, isTrusted: Bool)] = [
                ("as it should be", all.server, own, true),
                ("other authority", all.server, other, false),
                ("authorities of the system", all.server, .system, false),
                ("expired", all.expired, own, false),
                ("other host", all.otherHost, own, false),
                ("self-signed", all.selfSigned, own, false),
                ("self-signed, system", all.selfSigned, .system, false),
                ("self-signed and an authority", all.selfSigned, other, true),
                (
                    "several authorities", all.selfSigned,
                    .authorities([
                        .file(all.authority.certificate),
                        .file(all.selfSigned.certificate),
                    ]), true
                ),
            ]
            for (name, identity, trust, isTrusted) in cases {
                let server = try await scene.server(identity)
                let result = try await scene.send(to: server.baseURL, TLSPolicy.Rules(trust: trust))
                #expect(result.status == (isTrusted ? .ok : nil), "\(name): \(result)")
                #expect(result.code == (isTrusted ? nil : .tlsFailed), "\(name): \(result)")
                // All of them are refused for that reason and no other.
                let unverified = try await scene.send(
                    to: server.baseURL, TLSPolicy.Rules(trust: .unverifiedDangerously))
                #expect(unverified.status == .ok, "\(name): \(unverified)")
            }
        }

        @Test func `checks the name that is in the URL`() async throws {
            let scene = try await TLSScene()
            let server = try await scene.server(scene.certificates.server)
            let named = try await scene.send(
                to: "https://localhost:\(server.port)/", TLSPolicy.Rules(trust: scene.authority))
            #expect(named.about?.serverName == "localhost")
            #expect(named.about?.tlsVersion == "TLSv1.3")
        }

        @Test func `says so when nothing is verified, each time`() async throws {
            let scene = try await TLSScene()
            let server = try await scene.server(scene.certificates.expired)
            for (trust, count) in [(TLSPolicy.Trust.unverifiedDangerously, 2), (scene.authority, 0)] {
                let notices = Locked<[String]>([])
                for _ in 0..<2 {
                    _ = try await scene.send(to: server.baseURL, TLSPolicy.Rules(trust: trust)) { event in
                        if case .notice(let words) = event { notices.withLock { $0.append(words) } }
                    }
                }
                #expect(notices.withLock { $0.filter { $0.contains("not verified") }.count } == count)
            }
        }

        // MARK: - Pins

        @Test func `insists on a public key that is pinned`() async throws {
            let scene = try await TLSScene()
            let all = scene.certificates
            let server = try await scene.server(all.server)
            let right = TLSPolicy.PublicKeyPin(all.server.pin)
            let wrong = TLSPolicy.PublicKeyPin(all.client.pin)
            for trust in [scene.authority, .unverifiedDangerously] {
                for (pins, isTrusted) in [
                    ([right], true), ([wrong, right], true), ([wrong], false), ([wrong, wrong], false),
                ] {
                    let result = try await scene.send(to: server.baseURL, TLSPolicy.Rules(trust: trust, pins: pins))
                    #expect(result.status == (isTrusted ? .ok : nil), "\(pins): \(result)")
                    #expect(result.code == (isTrusted ? nil : .tlsFailed), "\(pins): \(result)")
                }
            }
            // A pin is not a reason to trust.
            #expect(try await scene.send(to: server.baseURL, TLSPolicy.Rules(pins: [right])).code == .tlsFailed)
        }

        @Test func `goes by the rules of each host, in one transport`() async throws {
            let scene = try await TLSScene()
            let server = try await scene.server(scene.certificates.server)
            var settings = TransportSettings()
            settings.tls.standard.trust = scene.authority
            settings.tls.hosts["localhost"] = TLSPolicy.Rules(
                trust: scene.authority, pins: [TLSPolicy.PublicKeyPin(scene.certificates.client.pin)])
            let transport = CurlTransport(settings: settings)
            for _ in 0..<3 {
                #expect(try await TLSScene.send(to: server.baseURL, transport).status == .ok)
                let pinned = try await TLSScene.send(to: "https://localhost:\(server.port)/", transport)
                #expect(pinned.code == .tlsFailed)
            }
        }

        // MARK: - Client certificates

        @Test func `shows a certificate to a server that asks for one`() async throws {
            let scene = try await TLSScene()
            let all = scene.certificates
            let server = try await scene.server(all.server) { $0.clientAuthority = all.authority.certificate }
            let chain = TLSPolicy.PEM.file(all.client.certificate)
            let cases: [(key: URL, passphrase: String?)] = [
                (all.client.key, nil), (all.encryptedClientKey, TestCertificates.passphrase),
            ]
            for (key, passphrase) in cases {
                let certificate = TLSPolicy.ClientCertificate(
                    chain: chain, privateKey: .file(key), passphrase: passphrase)
                let rules = TLSPolicy.Rules(trust: scene.authority, clientCertificate: certificate)
                let result = try await scene.send(to: server.baseURL, rules)
                #expect(result.about?.clientName == "CN=client", "\(result)")
            }
            let without = try await scene.send(to: server.baseURL, TLSPolicy.Rules(trust: scene.authority))
            #expect(without.status == .badRequest)
        }

        @Test func `shows no certificate that it cannot prove`() async throws {
            let scene = try await TLSScene()
            let all = scene.certificates
            let server = try await scene.server(all.server) { $0.clientAuthority = all.authority.certificate }
            let chain = TLSPolicy.PEM.file(all.client.certificate)
            for (key, passphrase) in [(all.encryptedClientKey, "wrong"), (all.server.key, nil)] {
                let certificate = TLSPolicy.ClientCertificate(
                    chain: chain, privateKey: .file(key), passphrase: passphrase)
                let rules = TLSPolicy.Rules(trust: scene.authority, clientCertificate: certificate)
                #expect(try await scene.send(to: server.baseURL, rules).code == .tlsFailed)
            }
        }

        @Test(arguments: [OpenSSLServer.Options.Version.tls1_2, .tls1_3])
        func `tells when a server ends TLS for lack of a certificate`(
            version: OpenSSLServer.Options.Version
        ) async throws {
            let scene = try await TLSScene()
            let all = scene.certificates
            let server = try await OpenSSLServer(
                OpenSSLServer.Options(
                    identity: all.server, version: version, clientAuthority: all.authority.certificate))
            let without = try await scene.send(to: server.baseURL, TLSPolicy.Rules(trust: scene.authority))
            #expect(without.code == .tlsFailed, "\(without)")
            let certificate = TLSPolicy.ClientCertificate(
                chain: .file(all.client.certificate), privateKey: .file(all.client.key))
            let rules = TLSPolicy.Rules(trust: scene.authority, clientCertificate: certificate)
            let with = try await scene.send(to: server.baseURL, rules)
            #expect(with.status == .ok, "\(with)")
        }

        // MARK: - Versions

        @Test(
            arguments: [
                (.tls1_1, .tls1_2, false), (.tls1_2, .tls1_2, true), (.tls1_3, .tls1_2, true),
                (.tls1_2, .tls1_3, false), (.tls1_3, .tls1_3, true),
            ] as [(OpenSSLServer.Options.Version, TLSPolicy.Version, Bool)])
        func `speaks no version below the minimum`(
            version: OpenSSLServer.Options.Version, minimum: TLSPolicy.Version, isSpoken: Bool
        ) async throws {
            let scene = try await TLSScene()
            let server = try await OpenSSLServer(
                OpenSSLServer.Options(identity: scene.certificates.server, version: version))
            let rules = TLSPolicy.Rules(trust: scene.authority, minimumVersion: minimum)
            let result = try await scene.send(to: server.baseURL, rules)
            #expect(result.status == (isSpoken ? .ok : nil), "\(result)")
            #expect(result.code == (isSpoken ? nil : .tlsFailed), "\(result)")
        }

        // MARK: - Rules that cannot be kept

        @Test(arguments: [
            TLSPolicy.Rules(pins: ["sha256/none"]),
            TLSPolicy.Rules(trust: .authorities([.text("none")])),
            TLSPolicy.Rules(trust: .authorities([.file(URL(filePath: "/none"))])),
            TLSPolicy.Rules(clientCertificate: SecurityFixture.identity(SecurityFixture.encryptedKey)),
        ])
        func `sends nothing under rules that cannot be kept`(rules: TLSPolicy.Rules) async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { _ in .text("hello") }])
            var settings = TransportSettings()
            settings.tls.hosts["other.test"] = rules
            let transport = CurlTransport(settings: settings)
            for _ in 0..<2 {
                #expect(try await TLSScene.send(to: server.baseURL, transport).code == .invalidTLSPolicy)
            }
            #expect(server.connectionsAccepted == 0)
        }

        @Test func `refuses PEM that is no certificate inside`() async throws {
            let scene = try await TLSScene()
            let server = try await scene.server(scene.certificates.server)
            let trust = TLSPolicy.Trust.authorities([.text(SecurityFixture.certificate)])
            #expect(try await scene.send(to: server.baseURL, TLSPolicy.Rules(trust: trust)).code == .tlsFailed)
        }
    }
#endif
