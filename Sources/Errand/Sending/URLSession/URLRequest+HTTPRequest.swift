#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable internal import Errand
    #endif
    internal import Foundation

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    extension URLRequest {
        /// Creates a Foundation request without a body.
        ///
        /// - Throws: ``ErrandError`` if URLSession cannot send it.
        init(_ request: HTTPRequest) throws(ErrandError) {
            try Self.checkBody(of: request)
            self.init(url: try Self.target(of: request.url))
            self.httpMethod = request.method.rawValue
            self.httpShouldHandleCookies = false
            self.setAllowedNetworks(request.allowedNetworks)
            self.setFields(of: request)
        }

        /// Returns the URL without user, password and fragment, which URLSession must not use or send.
        ///
        /// Brackets are encoded, because Foundation, stricter than ``HTTPURL``, would also encode the percent signs.
        private static func target(of url: HTTPURL) throws(ErrandError) -> URL {
            let target = url.requestTarget.replacingExactly("[", with: "%5B").replacingExactly("]", with: "%5D")
            guard let url = URL(string: url.origin + target, encodingInvalidCharacters: false) else {
                throw ErrandError(.unsupported, "Foundation cannot parse the URL \(url.redacted)")
            }
            return url
        }

        private static func checkBody(of request: HTTPRequest) throws(ErrandError) {
            switch request.body {
            case .none: return
            case .bytes(let data) where data.isEmpty: return
            case .bytes, .file, .stream:
                guard request.method == .get || request.method == .head else { return }
                throw ErrandError(.unsupported, "URLSessionTransport sends no body with \(request.method)")
            }
        }

        // MARK: - Fields

        private mutating func setFields(of request: HTTPRequest) {
            for field in request.headers where !Self.isFraming(field.name) {
                // The first field of a name stands for all of them.
                guard self.value(forHTTPHeaderField: field.name) == nil else { continue }
                self.setValue(request.headers.joinedValue(of: field.name), forHTTPHeaderField: field.name)
            }
            // URLSession would fill in its own values for absent fields.
            self.setDefault(HTTPField.Name.userAgent, "Errand")
            self.setDefault(HTTPField.Name.acceptLanguage, "*")
            if request.hasContent { self.setDefault(HTTPField.Name.contentType, "application/octet-stream") }
        }

        private mutating func setDefault(_ name: String, _ value: String) {
            if self.value(forHTTPHeaderField: name) == nil { self.setValue(value, forHTTPHeaderField: name) }
        }

        /// Returns true for a field about message framing (RFC 9112 §6), which is set by the sender.
        private static func isFraming(_ name: String) -> Bool {
            [HTTPField.Name.contentLength, HTTPField.Name.transferEncoding, "TE", "Trailer"]
                .contains { name.isEqualIgnoringASCIICase(to: $0) }
        }
    }

    extension HTTPRequest {
        fileprivate var hasContent: Bool {
            switch self.body {
            case .none: false
            case .bytes(let data): !data.isEmpty
            case .file, .stream: true
            }
        }
    }
#endif
