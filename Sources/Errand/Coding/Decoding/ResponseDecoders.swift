public import struct Foundation.Data

/// Returns the bytes of the body; none for an empty one.
public struct DataResponseDecoder: ResponseDecoder {
    /// Creates a decoder.
    public init() {}

    /// Returns the bytes.
    public func decode(_ response: HTTPResponse) -> Data {
        response.data
    }
}

/// Decodes a text in the charset that the response names, or in a given one; an empty one for an empty body.
///
/// Without either it is UTF-8. The charsets of Unicode, those of ISO 8859 and Windows, and the common ones of Chinese,
/// Japanese (but not EUC-JP, which Foundation does not have on Linux), Korean and Russian texts are known by the names
/// that IANA registers.
public struct StringResponseDecoder: ResponseDecoder {
    private let charset: String?

    /// Creates a decoder.
    ///
    /// - Parameter charset: The charset, whatever the response says; nothing to take that of the response.
    public init(charset: String? = nil) {
        self.charset = charset
    }

    /// Decodes the text.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` when the bytes are no such text, or
    ///   the charset is not known.
    public func decode(_ response: HTTPResponse) throws -> String {
        let charset = self.charset ?? response.head.contentType?.charset ?? "utf-8"
        return try Charset.text(response.data, in: charset)
    }
}

/// Answers nothing, whatever the body.
public struct VoidResponseDecoder: ResponseDecoder {
    /// Creates a decoder.
    public init() {}

    /// Answers nothing.
    public func decode(_ response: HTTPResponse) {}
}

/// Returns the file that the body went into, for an endpoint whose ``Endpoint/destination`` is one.
public struct FileResponseDecoder: ResponseDecoder {
    /// Creates a decoder.
    public init() {}

    /// Returns the file.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/unsupported`` when the body did not go into a file.
    public func decode(_ response: HTTPResponse) throws -> DownloadedFile {
        guard case .file(let url) = response.body else {
            throw ErrandError(.unsupported, "the body of the response did not go into a file")
        }
        return DownloadedFile(url: url, head: response.head, size: Int64(TemporaryFile.size(of: url) ?? 0))
    }
}

/// Lets the first of several decoders that can make the value.
///
/// Asked are those that read the content type of the response, in their order; if there are none, because the
/// endpoint's validation names other types, all of them. ``ResponseDecoder/map(_:)`` brings decoders to one output.
public struct FirstResponseDecoder<Output: Sendable>: ResponseDecoder {
    private let decoders: [any ResponseDecoder<Output>]

    /// Creates a decoder of others.
    public init(_ decoders: any ResponseDecoder<Output>...) {
        self.decoders = decoders
    }

    /// Those of all.
    public var contentTypes: [MIMEType] { self.decoders.flatMap(\.contentTypes) }
    /// Those of all, in their order.
    public var accept: String {
        self.decoders.map(\.accept).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.joined(separator: ", ")
    }

    /// Makes the value.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` that says why each of them could
    ///   not, with the last reason as its cause.
    public func decode(_ response: HTTPResponse) throws -> Output {
        let fitting = self.decoders.filter { response.refusal(accepting: $0.contentTypes) == nil }
        var reasons: [ErrandError] = []
        for decoder in fitting.isEmpty ? self.decoders : fitting {
            do {
                return try decoder.decode(response)
            } catch {
                reasons.append(ErrandError(wrapping: error, as: .decodingFailed, "the body could not be decoded"))
            }
        }
        let words = reasons.map(\.message).joined(separator: "; ")
        throw ErrandError(.decodingFailed, "none of the decoders can read the body: \(words)", cause: reasons.last)
    }
}
