#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable public import Errand
    #endif
    #if canImport(FoundationNetworking)
        internal import Foundation
        public import FoundationNetworking
    #else
        public import Foundation
    #endif

    extension HTTPRequest {
        /// Creates a request from a Foundation request: method, URL, header fields, body and allowed networks.
        ///
        /// Its timeout and its policies for caches, cookies and priorities are dropped, since the endpoint sets them.
        /// Header fields are sorted by name.
        ///
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidURL`` if it has no http or https URL, and
        ///   ``ErrandError/Code/unsupported`` if its body is an `InputStream`.
        public init(_ request: URLRequest) throws(ErrandError) {
            guard let url = request.url else { throw ErrandError(.invalidURL, "the URLRequest has no URL") }
            guard request.httpBodyStream == nil else {
                throw ErrandError(
                    .unsupported, "the body of the URLRequest is an InputStream, which can be read only once")
            }
            let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
            self.init(
                method: HTTPMethod(rawValue: request.httpMethod ?? "GET"), url: try HTTPURL(url),
                headers: HTTPFields(fields.map { HTTPField(name: $0.key, value: $0.value) }),
                body: request.httpBody.map { .bytes($0) } ?? .none)
            self.allowedNetworks.cellular = request.allowsCellularAccess
            #if !canImport(FoundationNetworking)
                self.allowedNetworks.expensive = request.allowsExpensiveNetworkAccess
                self.allowedNetworks.lowData = request.allowsConstrainedNetworkAccess
            #endif
        }

        /// Creates a Foundation request, for other libraries; fields with the same name are joined.
        ///
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/unsupported`` if Foundation cannot parse the URL, or
        ///   if the body is a file or a stream.
        public func urlRequest() throws(ErrandError) -> URLRequest {
            var request = URLRequest(url: try self.url.foundationURL())
            request.httpMethod = self.method.rawValue
            switch self.body {
            case .none: break
            case .bytes(let data): request.httpBody = data
            case .file, .stream:
                throw ErrandError(.unsupported, "a URLRequest cannot have a body that is not in memory")
            }
            for field in self.headers where request.value(forHTTPHeaderField: field.name) == nil {
                request.setValue(self.headers.joinedValue(of: field.name), forHTTPHeaderField: field.name)
            }
            request.setAllowedNetworks(self.allowedNetworks)
            return request
        }
    }

    extension URLRequest {
        /// Sets the allowed networks, as far as the platform supports them.
        mutating func setAllowedNetworks(_ networks: AllowedNetworks) {
            // Most requests allow all, which is Foundation's default.
            guard networks != .all else { return }
            self.allowsCellularAccess = networks.cellular
            #if !canImport(FoundationNetworking)
                self.allowsExpensiveNetworkAccess = networks.expensive
                self.allowsConstrainedNetworkAccess = networks.lowData
            #endif
        }
    }

    extension HTTPURL {
        /// Returns the URL as a Foundation URL.
        ///
        /// Brackets are encoded, because Foundation, stricter than ``HTTPURL``, would also encode the percent signs.
        func foundationURL() throws(ErrandError) -> URL {
            if let url = self.url, url.absoluteString == self.string { return url }
            let end = self.layout.pathStart
            let tail = self.string.utf8Slice(end..<self.string.utf8.count)
                .replacingExactly("[", with: "%5B").replacingExactly("]", with: "%5D")
            guard let url = URL(string: "\(self.string.utf8Slice(0..<end))\(tail)", encodingInvalidCharacters: false)
            else {
                throw ErrandError(.unsupported, "Foundation cannot parse the URL \(self.redacted)")
            }
            return url
        }
    }

    extension HTTPFields {
        /// Joins the fields with a name: cookies by RFC 6265 §4.2.1, others by RFC 9110 §5.3.
        func joinedValue(of name: String) -> String {
            let separator = name.isEqualIgnoringASCIICase(to: HTTPField.Name.cookie) ? "; " : ", "
            return self.values(for: name).joined(separator: separator)
        }
    }
#endif
