internal import struct Foundation.Data
internal import class Foundation.JSONDecoder

/// Returns the bytes of the body; see ``ResponseDecoder/data``.
struct DataBodyDecoder: BodyDecoder {
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Data { try response.dataInMemory() }
}

/// Decodes a text; see ``ResponseDecoder/text``.
struct TextBodyDecoder: BodyDecoder {
    /// The charset, whatever the response says; `nil` uses that of the response.
    let charset: String?

    /// Decodes the text.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` if the bytes are not valid in the
    ///   charset, or if the charset is unknown.
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> String {
        let charset = self.charset ?? response.head.contentType?.charset ?? "utf-8"
        return try Charset.text(try response.dataInMemory(), in: charset)
    }
}

/// Ignores the body.
struct VoidBodyDecoder: BodyDecoder {
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) {}
}

/// Returns the file that the body was written to; see ``ResponseDecoder/file``.
struct FileBodyDecoder: BodyDecoder {
    /// Returns the file.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/unsupported`` if the body was not written to a file.
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> DownloadedFile {
        guard case .file(let url) = response.body else {
            throw ErrandError(.unsupported, "the body of the response was not written to a file")
        }
        return DownloadedFile(url: url, head: response.head, size: Int64(TemporaryFile.size(of: url) ?? 0))
    }
}

/// Uses the first of several decoders that succeeds; see ``ResponseDecoder/first(_:)``.
struct FirstBodyDecoder<Output: Sendable>: BodyDecoder {
    private let decoders: [any BodyDecoder<Output>]

    init(_ decoders: [any BodyDecoder<Output>]) {
        self.decoders = decoders
    }

    /// The types of all decoders.
    var contentTypes: [MIMEType] { self.decoders.flatMap(\.contentTypes) }
    /// The values of all decoders, in order.
    var accept: String {
        self.decoders.map(\.accept).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.joined(separator: ", ")
    }

    /// Makes the value.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` and the reasons of all decoders,
    ///   with the last one as its cause.
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
    /// Returns the body, which has to be in memory.
    ///
    /// - Throws: ``ErrandError`` if it is not: otherwise, it would appear to be empty.
    func dataInMemory() throws(ErrandError) -> Data {
        guard case .file = self.body else { return self.data }
        throw ErrandError(
            .unsupported,
            "the body was written to a file: use DownloadedFile as Response, or receive it in memory (destination)")
    }
}
