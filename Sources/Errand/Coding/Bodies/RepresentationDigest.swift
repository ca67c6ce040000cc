internal import Foundation

extension SHA256 {
    /// Computes the digest of a file, without blocking the thread of a task.
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
    /// The SHA-256 digest in the response for a body in a file (RFC 9530 §3).
    ///
    /// `nil` if there is none, if it is invalid, or if the content was coded: the digest then applies to the coded
    /// content.
    var representationDigest: SHA256? {
        guard !self.isCoded else { return nil }
        let member = self.headers.structuredDictionary(HTTPField.Name.reprDigest)?["sha-256"]
        return member?.value?.bytes.flatMap { SHA256(bytes: $0) }
    }

    /// True if the content was coded, so that its bytes differ from those of a decoded file.
    var isCoded: Bool {
        self.headers[HTTPField.Name.contentEncoding].map { $0.asciiLowercased() != "identity" } ?? false
    }
}
