public import struct Foundation.Data

/// A request that a loopback server received.
public struct LoopbackRequest: Sendable, Hashable {
    /// One item of a query, both parts percent-decoded; a plus sign is left as it is.
    public struct QueryItem: Sendable, Hashable {
        /// The part before the equals sign.
        public let name: String
        /// The part after the equals sign, or `nil` if there was none.
        public let value: String?
    }

    /// The method, exactly as sent.
    public internal(set) var method: String
    /// The request target, exactly as sent.
    public internal(set) var target: String
    /// The minor version of HTTP/1 that the client speaks: 0 or 1.
    public internal(set) var minorVersion: Int
    /// The header fields in wire order.
    public internal(set) var headers = LoopbackFields()
    /// The body without any transfer coding.
    public internal(set) var body = Data()
    /// The trailer fields of a chunked body.
    public internal(set) var trailers = LoopbackFields()
    /// The number of the connection, counted from 1 in the order of acceptance.
    public internal(set) var connectionNumber: Int
    /// The number of the request on its connection, from 1.
    public internal(set) var requestNumber: Int

    /// The encoded path of the target, without scheme, authority and query.
    public var path: String { String(pathAndQuery.path) }

    /// The encoded query of the target, or `nil` if it has none.
    public var query: String? { pathAndQuery.query.map(String.init) }

    /// The items of the query in order, percent-decoded.
    public var queryItems: [QueryItem] {
        guard let query = pathAndQuery.query else { return [] }
        return query.split(separator: "&").map { item in
            guard let equals = item.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                return QueryItem(name: Self.percentDecoded(item), value: nil)
            }
            let value = item[item.utf8.index(after: equals)...]
            return QueryItem(name: Self.percentDecoded(item[..<equals]), value: Self.percentDecoded(value))
        }
    }

    /// Returns the value of the first header field with that name, ignoring case.
    public func header(_ name: String) -> String? { headers[name] }

    /// Returns the value of the first query item with that name, or `nil` if there is none or it has no value.
    public func queryValue(_ name: String) -> String? { queryItems.first { $0.name == name }?.value }

    /// True if the client expects the connection to stay open after the reply.
    var keepsAlive: Bool {
        guard headers["Connection"] != nil else { return minorVersion > 0 }
        if headers.contains(token: "close", in: "Connection") { return false }
        return minorVersion > 0 || headers.contains(token: "keep-alive", in: "Connection")
    }
}

// MARK: - Private helpers

extension LoopbackRequest {
    private var pathAndQuery: (path: Substring, query: Substring?) {
        var rest = target[...]
        if !rest.utf8.starts(with: "/".utf8), let scheme = rest.firstRange(of: "://") {
            let afterScheme = rest[scheme.upperBound...]
            let end = afterScheme.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            rest = end.map { afterScheme[$0...] } ?? ""
        }
        guard let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (rest.isEmpty ? "/" : rest, nil) }
        let path = rest[..<mark]
        return (path.isEmpty ? "/" : path, rest[rest.utf8.index(after: mark)...])
    }

    private static func percentDecoded(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        guard bytes.contains(UInt8(ascii: "%")) else { return String(text) }
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = LoopbackSyntax.hexValue(bytes[index + 1]),
                let low = LoopbackSyntax.hexValue(bytes[index + 2])
            {
                decoded.append(UInt8(high * 16 + low))
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
