#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable internal import Errand
    #endif
    internal import ErrandLocks

    #if canImport(Security)
        internal import Foundation
        internal import Security

        /// Decides which servers a session trusts, and remembers the reason for a refusal.
        final class URLSessionTrust: Sendable {
            private let policy: LoadedTLSPolicy
            /// The last refusal by host; URLSession only reports that its task was cancelled.
            private let refusals = Locked<[String: ErrandError]>([:])

            init(_ policy: LoadedTLSPolicy) {
                self.policy = policy
            }

            /// Answers the challenge that a session gets for each new connection.
            func answer(
                _ challenge: URLAuthenticationChallenge
            ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
                let space = challenge.protectionSpace
                guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, !space.isProxy(),
                    let trust = space.serverTrust
                else { return (.performDefaultHandling, nil) }
                let host = Self.host(space.host)
                let rules = self.policy.rules(for: host)
                if rules.trust == .system, rules.pins.isEmpty { return (.performDefaultHandling, nil) }
                guard let refusal = rules.refusal(of: trust, host) else {
                    return (.useCredential, URLCredential(trust: trust))
                }
                self.refusals.withLock { $0[host] = refusal }
                return (.cancelAuthenticationChallenge, nil)
            }

            /// Returns the refusal of a server, if that ended a task.
            ///
            /// A task that the user of the transport cancelled no longer has a call, so this is not called for it.
            func refusal(behind error: any Error, of task: URLSessionTask) -> ErrandError? {
                guard (error as? URLError)?.code == .cancelled, let host = task.originalRequest?.url?.host() else {
                    return nil
                }
                return self.refusals.withLock { $0[Self.host(host)] }
            }

            /// Returns the host of a challenge in the form of URLs, since its IPv6 addresses lack brackets.
            private static func host(_ host: String) -> String {
                HostPattern.normalized(host)
            }
        }

        extension LoadedTLSRules {
            /// Returns the reason for which a server is not trusted, or `nil` if it is.
            fileprivate func refusal(of trust: SecTrust, _ host: String) -> ErrandError? {
                if case .authorities(let pem) = self.trust {
                    SecTrustSetAnchorCertificates(trust, Self.certificates(in: pem) as CFArray)
                    SecTrustSetAnchorCertificatesOnly(trust, true)
                }
                var error: CFError?
                let isVerified = unsafe SecTrustEvaluateWithError(trust, &error)
                let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
                return self.refusal(of: host, isVerified: isVerified, keys: chain.map(\.digest), cause: error)
            }

            private static func certificates(in pem: Data) -> [SecCertificate] {
                let blocks = (try? PEMBlock.blocks(in: pem)) ?? []
                return blocks.filter(\.isCertificate).compactMap {
                    SecCertificateCreateWithData(nil, $0.bytes as CFData)
                }
            }
        }

        extension SecCertificate {
            /// The digest of the public key, as in pins; `nil` for kinds of keys that pins do not support.
            fileprivate var digest: Data? {
                guard let key = SecCertificateCopyKey(self), let kind = SubjectPublicKeyInfo.Kind(key),
                    let bytes = SecKeyCopyExternalRepresentation(key, nil)
                else { return nil }
                return Data(SHA256(of: SubjectPublicKeyInfo.der(kind, bytes as Data)).bytes)
            }
        }

        extension SubjectPublicKeyInfo.Kind {
            fileprivate init?(_ key: SecKey) {
                guard let attributes = SecKeyCopyAttributes(key) as? [String: Any] else { return nil }
                let type = attributes[kSecAttrKeyType as String] as? String
                if type == kSecAttrKeyTypeRSA as String {
                    self = .rsa
                    return
                }
                guard type == kSecAttrKeyTypeECSECPrimeRandom as String else { return nil }
                switch attributes[kSecAttrKeySizeInBits as String] as? Int {
                case 256: self = .p256
                case 384: self = .p384
                case 521: self = .p521
                default: return nil
                }
            }
        }
    #endif
#endif
