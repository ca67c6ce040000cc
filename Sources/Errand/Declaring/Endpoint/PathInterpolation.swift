public import struct Foundation.URL

extension EndpointPath: ExpressibleByStringInterpolation {
    /// Creates a path from a literal, unchanged.
    public init(stringLiteral value: String) {
        self.init(value, .reference)
    }

    /// Creates a path from a literal with interpolated values.
    ///
    /// - Complexity: O(*n*) in the length of the path, for each value.
    public init(stringInterpolation interpolation: StringInterpolation) {
        self = interpolation.path
    }

    /// Builds a path from literal text and encoded values.
    public struct StringInterpolation: StringInterpolationProtocol {
        private var text = ""
        private var values: [PathValue] = []
        private var problem: Problem?

        /// Creates an empty interpolation.
        public init(literalCapacity: Int, interpolationCount: Int) {
            self.text.reserveCapacity(literalCapacity + interpolationCount * 8)
        }

        /// Appends literal text unchanged.
        public mutating func appendLiteral(_ literal: String) {
            self.text += literal
        }

        /// Appends a value as one segment or a part of one: text, a number, a `UUID`, or another value with a
        /// description; encoded.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            self.append(HTTPURL.percentEncode(value.description, for: .pathSegment), .segment)
        }

        /// Appends a value of one or more segments separated by slashes, such as a file path.
        ///
        /// Each segment is encoded, including any `%`, and must not be `.`, `..` or empty. A trailing slash is allowed
        /// at the end of the path. A leading slash, which would lead to the root of the host, has to be in the literal
        /// text.
        public mutating func appendInterpolation(path value: some StringProtocol) {
            let segments = value.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .map { HTTPURL.percentEncode(String(decoding: $0, as: UTF8.self), for: .pathSegment) }
            self.append(segments.joined(separator: "/"), .segments)
        }

        /// Appends a path unchanged.
        public mutating func appendInterpolation(_ path: EndpointPath) {
            self.append(path.reference, .path)
            if case .refused(let problem) = path.kind { self.problem = self.problem ?? problem }
        }

        /// Appends any other value as string interpolation does, such as the name of a case; encoded, as one segment or
        /// a part of one.
        public mutating func appendInterpolation<Value>(_ value: Value) {
            self.appendInterpolation(String(describing: value))
        }

        /// Appends an optional value; `nil` fails the request.
        @available(*, deprecated, message: "unwrap the value: a path whose value is nil fails the request")
        public mutating func appendInterpolation<Value>(_ value: Value?) {
            guard let value else { return self.problem = self.problem ?? .missingValue }
            self.appendInterpolation(String(describing: value))
        }

        /// Appends a URL as one segment, which is rarely intended.
        @available(*, deprecated, message: "a URL becomes one segment; use EndpointPath.url(_:) for an absolute URL")
        public mutating func appendInterpolation(_ url: URL) {
            self.appendInterpolation(url.absoluteString)
        }

        /// The resulting path, checked.
        var path: EndpointPath {
            if let problem = self.problem { return EndpointPath(self.text, .refused(problem)) }
            if self.values.isEmpty { return EndpointPath(self.text, .reference) }
            let check = PathCheck(self.text, self.values)
            if let problem = check.problem { return EndpointPath(self.text, .refused(problem)) }
            // RFC 3986 §4.2: a colon in the first segment would make the text before it a scheme.
            return EndpointPath(check.isSchemeValue ? "./" + self.text : self.text, .reference)
        }

        private mutating func append(_ encoded: String, _ kind: PathValue.Kind) {
            let start = self.text.utf8.count
            self.text += encoded
            self.values.append(PathValue(kind: kind, start: start, end: self.text.utf8.count))
        }
    }
}
