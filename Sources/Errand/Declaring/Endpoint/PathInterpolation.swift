public import struct Foundation.URL

extension EndpointPath: ExpressibleByStringInterpolation {
    /// Creates a path from a literal, which is taken as it is.
    public init(stringLiteral value: String) {
        self.init(value, .reference)
    }

    /// Creates a path from a literal with values in it.
    ///
    /// - Complexity: O(*n*) in the length of the path, for each value.
    public init(stringInterpolation interpolation: StringInterpolation) {
        self = interpolation.path
    }

    /// Puts together a path from what is written in a literal and from values, which are encoded.
    public struct StringInterpolation: StringInterpolationProtocol {
        private var text = ""
        private var values: [PathValue] = []
        private var problem: Problem?

        /// Begins with nothing.
        public init(literalCapacity: Int, interpolationCount: Int) {
            self.text.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        /// Adds what is written in the literal, as it is.
        public mutating func appendLiteral(_ literal: String) {
            self.text += literal
        }

        /// Adds a value: text, a number, a `UUID`, or what else describes itself; encoded, as one segment or a part of
        /// one.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            self.append(HTTPURL.percentEncode(value.description, for: .pathSegment), .segment)
        }

        /// Adds a value of one or more segments with slashes between them, such as the name of a file in its folders.
        ///
        /// Each segment is encoded, a `%` in it too, and none may be `.`, `..` or empty. A slash at the end may stay,
        /// if nothing follows; one at the beginning would lead to the root of the host, and is written in the literal.
        public mutating func appendInterpolation(path value: some StringProtocol) {
            let segments = value.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .map { HTTPURL.percentEncode(String(decoding: $0, as: UTF8.self), for: .pathSegment) }
            self.append(segments.joined(separator: "/"), .segments)
        }

        /// Adds a path as it is.
        public mutating func appendInterpolation(_ path: EndpointPath) {
            self.append(path.reference, .path)
            if case .refused(let problem) = path.kind { self.problem = self.problem ?? problem }
        }

        /// Adds any other value as a string does, such as the name of a case; encoded, as one segment or a part of one.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            self.appendInterpolation(String(describing: value))
        }

        /// Adds a value if there is one; a path without it fails the request.
        @available(*, deprecated, message: "unwrap the value: a path whose value is nil fails the request")
        public mutating func appendInterpolation<Value>(_ value: Value?) {
            guard let value else { return self.problem = self.problem ?? .missingValue }
            self.appendInterpolation(String(describing: value))
        }

        /// Adds a URL as one segment, which is seldom meant.
        @available(*, deprecated, message: "a URL becomes one segment; EndpointPath.url(_:) takes a whole one")
        public mutating func appendInterpolation(_ url: URL) {
            self.appendInterpolation(url.absoluteString)
        }

        /// What has been put together, checked.
        var path: EndpointPath {
            if let problem = self.problem { return EndpointPath(self.text, .refused(problem)) }
            if self.values.isEmpty { return EndpointPath(self.text, .reference) }
            let check = PathCheck(self.text, self.values)
            if let problem = check.problem { return EndpointPath(self.text, .refused(problem)) }
            // RFC 3986 §4.2: a colon in the first segment would make a scheme of what is before it.
            return EndpointPath(check.isSchemeValue ? "./" + self.text : self.text, .reference)
        }

        private mutating func append(_ encoded: String, _ kind: PathValue.Kind) {
            let start = self.text.utf8.count
            self.text += encoded
            self.values.append(PathValue(kind: kind, start: start, end: self.text.utf8.count))
        }
    }
}
