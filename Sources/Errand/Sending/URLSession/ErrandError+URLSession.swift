#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable internal import Errand
    #endif
    internal import Foundation

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    extension ErrandError {
        /// Creates the error for that of a URLSession task, which becomes the cause.
        ///
        /// An ``ErrandError`` is kept as it is.
        init(urlSession error: any Error) {
            if let error = error as? ErrandError {
                self = error
                return
            }
            guard let error = error as? URLError else {
                self.init(.transportFailed, "the exchange failed: \(error.localizedDescription)", cause: error)
                return
            }
            let text = error.errorUserInfo[NSLocalizedDescriptionKey] as? String ?? ""
            let code = Self.code(of: error, text)
            let detail = text.isEmpty ? "URLError \(error.errorCode)" : text
            self.init(code, "\(text.summaryOfMixedUpSchemes ?? Self.summary(of: code)): \(detail)", cause: error)
            guard code == .proxyAuthenticationFailed else { return }
            self.context.status = 407
            self.context.isUnprocessed = true
        }

        private static func code(of error: URLError, _ text: String) -> Code {
            #if canImport(FoundationNetworking)
                // The text first: most codes are `unknown`, and some are wrong.
                if let code = Self.code(ofLibcurl: text) { return code }
            #endif
            return Self.codes[error.code] ?? .transportFailed
        }

        private static func summary(of code: Code) -> String {
            switch code {
            case .cancelled: "the transfer was cancelled"
            case .timedOut: "the exchange timed out"
            case .hostNotFound: "the host was not found"
            case .cannotConnect: "no connection could be made"
            case .proxyAuthenticationFailed: "a proxy rejects the user and password, or requires them"
            case .connectionLost: "the connection was lost"
            case .tlsFailed: "no secure connection could be made"
            case .invalidResponse: "the response is not valid HTTP"
            case .unsupported: "URLSession cannot use the URL"
            case .encodingFailed: "the file of the body cannot be read"
            default: "the exchange failed"
            }
        }

        private static let codes: [URLError.Code: Code] = [
            .cancelled: .cancelled,
            .userCancelledAuthentication: .cancelled,
            .timedOut: .timedOut,
            .badURL: .unsupported,
            .unsupportedURL: .unsupported,
            .fileDoesNotExist: .encodingFailed,
            .fileIsDirectory: .encodingFailed,
            .noPermissionsToReadFile: .encodingFailed,
            .cannotFindHost: .hostNotFound,
            .dnsLookupFailed: .hostNotFound,
            .cannotConnectToHost: .cannotConnect,
            .notConnectedToInternet: .cannotConnect,
            .internationalRoamingOff: .cannotConnect,
            .callIsActive: .cannotConnect,
            .dataNotAllowed: .cannotConnect,
            .networkConnectionLost: .connectionLost,
            .badServerResponse: .invalidResponse,
            .cannotParseResponse: .invalidResponse,
            .cannotDecodeRawData: .invalidResponse,
            .cannotDecodeContentData: .invalidResponse,
            .secureConnectionFailed: .tlsFailed,
            .serverCertificateHasBadDate: .tlsFailed,
            .serverCertificateUntrusted: .tlsFailed,
            .serverCertificateHasUnknownRoot: .tlsFailed,
            .serverCertificateNotYetValid: .tlsFailed,
            .clientCertificateRejected: .tlsFailed,
            .clientCertificateRequired: .tlsFailed,
            .appTransportSecurityRequiresSecureConnection: .tlsFailed,
        ]
    }

    #if canImport(FoundationNetworking)
        extension ErrandError {
            /// libcurl's error texts and their codes, the more specific ones first.
            private static let libcurlPhrases: [(phrase: String, code: Code)] = [
                ("resolve host", .hostNotFound),
                ("resolve proxy", .cannotConnect),
                ("407 from proxy", .proxyAuthenticationFailed),
                ("tunnel failed, response 407", .proxyAuthenticationFailed),
                ("CONNECT tunnel", .cannotConnect),
                ("proxy CONNECT", .cannotConnect),
                ("from proxy after CONNECT", .cannotConnect),
                ("failed to connect", .cannotConnect),
                ("couldn't connect", .cannotConnect),
                ("connect fail", .cannotConnect),
                ("HTTP/0.9", .invalidResponse),
                ("failed writing header", .invalidResponse),
                ("chunk", .invalidResponse),
                ("content encoding", .invalidResponse),
                ("content unencoding", .invalidResponse),
                ("unsupported HTTP", .invalidResponse),
                ("unsupported response code", .invalidResponse),
                ("invalid content-length", .invalidResponse),
                ("invalid status", .invalidResponse),
                ("weird server reply", .invalidResponse),
                ("response header", .invalidResponse),
                ("header without colon", .invalidResponse),
                ("nul byte in header", .invalidResponse),
                // The text for a header line that is too long.
                ("out of memory", .invalidResponse),
                ("certificate", .tlsFailed),
                ("transfer closed", .connectionLost),
                ("empty reply", .connectionLost),
                ("recv failure", .connectionLost),
                ("send failure", .connectionLost),
                ("connection reset", .connectionLost),
                ("connection died", .connectionLost),
                ("receiving data from the peer", .connectionLost),
                ("sending data to the peer", .connectionLost),
                ("HTTP/2 stream", .connectionLost),
                ("HTTP2 framing", .connectionLost),
                ("rewind", .connectionLost),
                ("SSL", .tlsFailed),
                ("TLS", .tlsFailed),
                ("timed out", .timedOut),
                ("timeout was reached", .timedOut),
            ]

            private static func code(ofLibcurl text: String) -> Code? {
                self.libcurlPhrases.first { text.range(of: $0.phrase, options: .caseInsensitive) != nil }?.code
            }
        }
    #endif
#endif
