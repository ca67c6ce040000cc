internal import struct Foundation.Data
internal import class Foundation.JSONDecoder

/// Returns the bytes of the body; see ``ResponseDecoder/data``.
struct DataBodyDecoder: BodyDecoder {
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Data { try response.dataInMemory() }
}

/// Decodes a text; see ``ResponseDecoder/text``.
struct TextBodyDecoder: BodyDecoder {
    /// The charset, whatever the response says; `nil` takes that of the response.
    let charset: String?

    /// Decodes the text.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` when the bytes are no such text, or
    ///   the charset is not known.
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> String {
        let charset = self.charset ?? response.head.contentType?.charset ?? "utf-8"
        return try Charset.text(try response.dataInMemory(), in: charset)
    }
}

/// Ignores the body.
struct VoidBodyDecoder: BodyDecoder {
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) {}
}

/// Returns the file that the body went into; see ``ResponseDecoder/file``.
struct FileBodyDecoder: BodyDecoder {
    /// Returns the file.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/unsupported`` when the body did not go into a file.
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> DownloadedFile {
        guard case .file(let url) = response.body else {
            throw ErrandError(.unsupported, "the body of the response did not go into a file")
        }
        return DownloadedFile(url: url, head: response.head, size: Int64(TemporaryFile.size(of: url) ?? 0))
    }
}

/// Lets the first of several decoders that can make the value; see ``ResponseDecoder/first(_:)``.
struct FirstBodyDecoder<Output: Sendable>: BodyDecoder {
    private let decoders: [any BodyDecoder<Output>]

    init(_ decoders: [any BodyDecoder<Output>]) {
        self.decoders = decoders
    }

    /// Those of all.
    var contentTypes: [MIMEType] { self.decoders.flatMap(\.contentTypes) }
    /// Those of all, in their order.
    var accept: String {
        self.decoders.map(\.accept).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.joined(separator: ", ")
    }

    /// Makes the value.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` that says why each of them could
    ///   not, with the last reason as its cause.
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output {
        let fitting = self.decoders.filter { response.refusal(accepting: $0.contentTypes) == nil }
        var reasons: [ErrandError] = []
        for decoder in fitting.isEmpty ? self.decoders : fitting {
            do {
                return try decoder.decode(response, inheriting: json)
            } catch {
                reasons.append(ErrandError(wrapping: error, as: .decodingFailed, "the body could not be decoded"))
            }
        }
        let words = reasons.map(\.message).joined(separator: "; ")
        throw ErrandError(.decodingFailed, "none of the decoders can read the body: \(words)", cause: reasons.last)
    }
}

extension HTTPResponse {
    /// The body, to be decoded from memory.
    ///
    /// - Throws: ``ErrandError`` where it is elsewhere: it would look as if it were empty.
    func dataInMemory() throws(ErrandError) -> Data {
        guard case .file = self.body else { return self.data }
        throw ErrandError(
            .unsupported,
            "the body went into a file: let the Response be DownloadedFile, or receive it into memory (destination)")
    }
}
