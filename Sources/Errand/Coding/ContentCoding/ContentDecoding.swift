/// Takes all codings of a response off its content, the one that was put on last first (RFC 9110 §8.4).
struct ContentDecoding {
    private let decoders: [ContentDecoder]

    /// The most codings that may lie over each other: each can make a thousandfold of what it gets.
    private static let limit = 5

    /// - Parameter names: What `Content-Encoding` names, in small letters and without `identity`.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidResponse`` for a coding that is not known, and
    ///   for too many.
    init(_ names: [String]) throws(ErrandError) {
        guard names.count <= Self.limit else {
            throw ErrandError(.invalidResponse, "the body has \(names.count) codings, and \(Self.limit) are the most")
        }
        var decoders: [ContentDecoder] = []
        for name in names.reversed() {
            guard let coding = ContentCoding(named: name) else {
                throw ErrandError(.invalidResponse, "the body has the coding \"\(name)\", which cannot be decoded here")
            }
            decoders.append(try ContentDecoder(coding))
        }
        self.decoders = decoders
    }

    /// Decodes bytes; see ``ContentDecoder/write(_:to:)``.
    func write(
        _ bytes: UnsafeRawBufferPointer, to receive: ContentDecoder.Receiver
    ) throws(ErrandError) -> Bool {
        unsafe try self.write(bytes, through: self.decoders[...], to: receive)
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, through decoders: ArraySlice<ContentDecoder>,
        to receive: ContentDecoder.Receiver
    ) throws(ErrandError) -> Bool {
        guard let first = decoders.first else { return try unsafe receive(bytes) }
        return unsafe try first.write(bytes) { decoded throws(ErrandError) in
            unsafe try self.write(decoded, through: decoders.dropFirst(), to: receive)
        }
    }

    /// Checks at the end of the content that it is whole.
    ///
    /// - Throws: ``ErrandError``.
    func finish() throws(ErrandError) {
        for decoder in self.decoders { try decoder.finish() }
    }
}
