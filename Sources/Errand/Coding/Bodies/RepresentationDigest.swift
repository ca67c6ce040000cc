internal import Foundation

extension SHA256 {
    /// Digests a file, without holding up the thread of a task.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``, or as soon as the task is cancelled.
    init(ofFile url: URL) async throws(ErrandError) {
        do throws(ErrandError) {
            let file = try RegularFile(url)
            var offset: Int64 = 0
            try await self.init { () throws(ErrandError) in
                let piece = try await file.read(1 << 20, from: offset)
                offset += Int64(piece.count)
                return piece
            }
        } catch {
            guard error.code != .cancelled else { throw error }
            throw ErrandError(.fileFailed, "the digest of the body cannot be computed: \(error.message)")
        }
    }
}

extension HTTPResponse.Head {
    /// The SHA-256 that the server names for the body as it is in a file (RFC 9530 §3).
    ///
    /// `nil` where it names none, where that cannot be read, or where the content was coded: it is that of the coded
    /// one.
    var representationDigest: SHA256? {
        guard !self.isCoded else { return nil }
        let member = self.headers.structuredDictionary(HTTPField.Name.reprDigest)?["sha-256"]
        return member?.value?.bytes.flatMap { SHA256(bytes: $0) }
    }

    /// Whether the content was coded, so that its bytes are not those of a file that it is written to.
    var isCoded: Bool {
        self.headers[HTTPField.Name.contentEncoding].map { $0.asciiLowercased() != "identity" } ?? false
    }
}
