public import struct Foundation.Data
public import class Foundation.JSONDecoder

/// Decodes a `Decodable` value from JSON (RFC 8259).
public struct JSONResponseDecoder<Output: Decodable & Sendable>: ResponseDecoder {
    private let decoder: JSONDecoder

    /// Creates a decoder with the standard strategies.
    public init() {
        self.decoder = sharedJSONDecoder
    }

    /// Creates a decoder with strategies of its own.
    public init(_ decoder: JSONDecoder) {
        self.decoder = decoder
    }

    /// Decodes the body.
    ///
    /// - Throws: ``ErrandError`` for an empty body, and what `JSONDecoder` throws.
    public func decode(_ response: HTTPResponse) throws -> Output {
        let data = response.data
        guard !data.isEmpty else {
            throw ErrandError(.decodingFailed, "the body is empty where JSON for \(Output.self) is needed")
        }
        do {
            return try self.decoder.decode(Output.self, from: data)
        } catch {
            throw ErrandError(
                .decodingFailed, "the body is not JSON for \(Output.self): \(jsonProblem(error))", cause: error)
        }
    }
}

/// One decoder for all requests that need no strategies of their own: making one costs more than using it.
private let sharedJSONDecoder = JSONDecoder()

/// Says in one line where in a document a decoding error lies.
private func jsonProblem(_ error: any Error) -> String {
    let (context, what): (DecodingError.Context, String)
    switch error as? DecodingError {
    case .keyNotFound(let key, let found)?: (context, what) = (found, "there is no \"\(key.stringValue)\"")
    case .typeMismatch(let type, let found)?: (context, what) = (found, "it is not a \(type)")
    case .valueNotFound(let type, let found)?: (context, what) = (found, "it is null where a \(type) is needed")
    case .dataCorrupted(let found)?: (context, what) = (found, found.debugDescription)
    case nil: return "\(error)"
    @unknown default: return "\(error)"
    }
    let path = context.codingPath.map(\.stringValue).joined(separator: ".")
    return path.isEmpty ? what : "at \(path) \(what)"
}

/// Answers the bytes of the body.
public struct DataResponseDecoder: ResponseDecoder {
    /// Creates a decoder.
    public init() {}

    /// Answers the bytes.
    public func decode(_ response: HTTPResponse) -> Data {
        response.data
    }
}

/// Decodes a text in UTF-8, or in Latin-1 or ASCII where the response names them as its charset.
public struct StringResponseDecoder: ResponseDecoder {
    /// Creates a decoder.
    public init() {}

    /// Decodes the text.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` when the bytes are no such text.
    public func decode(_ response: HTTPResponse) throws -> String {
        let charset = response.head.contentType?.charset?.lowercased() ?? "utf-8"
        let text: String?
        switch charset {
        case "utf-8", "utf8": text = String(data: response.data, encoding: .utf8)
        case "iso-8859-1", "latin1": text = String(data: response.data, encoding: .isoLatin1)
        case "us-ascii": text = String(data: response.data, encoding: .ascii)
        default: throw ErrandError(.decodingFailed, "the charset \(charset) is not supported")
        }
        guard let text else { throw ErrandError(.decodingFailed, "the body is not text in \(charset)") }
        return text
    }
}
