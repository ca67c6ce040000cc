#if canImport(CErrandCurl)
    internal import CErrandCurl
    internal import Glibc

    extension ErrandError {
        /// Creates the error that stands for one libcurl ended a transfer with; its words go before the general ones.
        ///
        /// - Parameters:
        ///   - code: What libcurl answered.
        ///   - words: What it said, if it did.
        ///   - way: The socket or the proxy that connections go to, where that is not the host, as in "through the proxy".
        init(curl code: Int32, _ words: String, _ way: String? = nil) {
            let words = words.isEmpty ? unsafe String(cString: errand_curl_easy_words(code)) : words
            let meaning = Self.meaning(of: code, words)
            var summary = Self.summary(ofTLS: code, words) ?? Self.summary(of: meaning)
            if let way, meaning == .cannotConnect || meaning == .hostNotFound { summary += " \(way)" }
            self.init(meaning, "\(summary): \(words)", cause: CurlError(code: code, words: words))
        }

        private static func meaning(of code: Int32, _ words: String) -> Code {
            switch code {
            // Also what libcurl says of a status line that it does not understand.
            case 1: words.contains("rotocol") ? .unsupported : .invalidResponse
            case 3: .invalidURL
            case 5, 6: .hostNotFound
            case 7, 28, 45, 97: .cannotConnect
            case 8, 61, 100: .invalidResponse
            // Its streams ended before their responses, or what came was not in frames.
            case 16: words.contains("nghttp2") ? .invalidResponse : .connectionLost
            case 18, 52, 55, 65, 92: .connectionLost
            // A handshake that is broken off says nothing about trust.
            case 35 where words.isAboutConnection: .cannotConnect
            case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98: .tlsFailed
            // What libcurl could not read may be a broken connection or a broken response.
            case 56 where words.contains(" alert "): .tlsFailed
            // The proxy refused the tunnel.
            case 56 where words.contains("CONNECT"): .cannotConnect
            case 56: words.isAboutSyntax ? .invalidResponse : .connectionLost
            case 23: .invalidResponse
            default: .transportFailed
            }
        }

        /// What is wrong with TLS, or with its absence, where that can be told.
        private static func summary(ofTLS code: Int32, _ words: String) -> String? {
            switch code {
            case 1, 35, 56: words.summaryOfMixedUpSchemes
            case 51, 60: "the certificate of the server is not accepted (TransportSettings.tls says which are)"
            case 90: "the server has none of the public keys that are pinned for it"
            case 58: "the client certificate cannot be used"
            default: nil
            }
        }

        private static func summary(of code: Code) -> String {
            switch code {
            case .hostNotFound: "the host was not found"
            case .cannotConnect: "no connection could be made"
            case .connectionLost: "the connection was lost"
            case .tlsFailed: "no secure connection could be made"
            case .invalidResponse: "the response is not valid HTTP"
            case .invalidURL: "libcurl cannot use the URL"
            case .unsupported: "libcurl cannot do this"
            default: "the exchange failed"
            }
        }
    }

    /// The error of libcurl behind an ``ErrandError``.
    struct CurlError: Error, CustomStringConvertible {
        /// The number that libcurl has for it.
        let code: Int32
        /// What libcurl says about it.
        let words: String

        var description: String { "libcurl error \(self.code): \(self.words)" }
    }

    extension String {
        /// Whether a library for TLS says that the connection ended: those of OpenSSL and of GnuTLS.
        fileprivate var isAboutConnection: Bool {
            ["reset by peer", "SYSCALL", "unexpected eof", "Broken pipe", "pull function", "terminated"]
                .contains { self.contains($0) }
        }

        fileprivate var isAboutSyntax: Bool {
            ["chunk", "Chunk", "too large", "Illegal", "Malformed", "Header", "header", "Nul byte"]
                .contains { self.contains($0) }
        }
    }
#endif
