#if canImport(CErrandCurl)
    internal import CErrandCurl

    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    extension ErrandError {
        /// Creates the error for a libcurl error; a specific text precedes libcurl's.
        ///
        /// - Parameters:
        ///   - code: The code of libcurl.
        ///   - words: The error text of libcurl, if any.
        ///   - way: The socket or proxy, if the connection does not go to the host, as in "through the proxy".
        init(curl code: Int32, _ words: String, _ way: String? = nil) {
            let words = words.isEmpty ? unsafe String(cString: errand_curl_easy_words(code)) : words
            let meaning = Self.meaning(of: code, words)
            var summary = Self.summary(ofTLS: code, words) ?? Self.summary(of: meaning)
            if let way, meaning == .cannotConnect || meaning == .hostNotFound { summary += " \(way)" }
            self.init(meaning, "\(summary): \(words)", cause: CurlError(code: code, words: words))
        }

        private static func meaning(of code: Int32, _ words: String) -> Code {
            switch code {
            // Also the code for an invalid status line.
            case 1: words.contains("rotocol") ? .unsupported : .invalidResponse
            case 3: .invalidURL
            case 5, 6: .hostNotFound
            case 7, 28, 45, 97: .cannotConnect
            case 8, 61, 100: .invalidResponse
            // Streams ended before their responses, or invalid frames were received.
            case 16: words.contains("nghttp2") ? .invalidResponse : .connectionLost
            case 18, 52, 55, 65, 92: .connectionLost
            // An aborted handshake is not a matter of trust.
            case 35 where words.isAboutConnection: .cannotConnect
            case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98: .tlsFailed
            // A receive error can be a broken connection or an invalid response.
            case 56 where words.contains(" alert "): .tlsFailed
            // The proxy rejected the tunnel.
            case 56 where words.contains("CONNECT"): .cannotConnect
            case 56: words.isAboutSyntax ? .invalidResponse : .connectionLost
            case 23: .invalidResponse
            default: .transportFailed
            }
        }

        /// Returns a description of a TLS problem, or of missing TLS, if it is known.
        private static func summary(ofTLS code: Int32, _ words: String) -> String? {
            switch code {
            case 1, 35, 56: words.summaryOfMixedUpSchemes
            case 51, 60: "the certificate of the server is not trusted (see TransportSettings.tls)"
            case 90: "the server has none of the public keys pinned for it"
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

    /// The libcurl error behind an ``ErrandError``.
    struct CurlError: Error, CustomStringConvertible {
        /// libcurl's code.
        let code: Int32
        /// libcurl's text.
        let words: String

        var description: String { "libcurl error \(self.code): \(self.words)" }
    }

    extension String {
        /// True if the text of a TLS library reports a closed connection: OpenSSL or GnuTLS.
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
