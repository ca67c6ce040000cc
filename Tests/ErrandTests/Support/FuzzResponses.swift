internal import ErrandTesting
internal import Foundation

/// Valid responses of all kinds, and what is made of them for one number.
struct FuzzResponses: Sendable {
    /// A whole response, and the body that a client has to make of it.
    struct Template: Sendable {
        let bytes: Data
        let body: Data
    }

    /// What the server does for one number.
    struct Case: Sendable {
        let reply: LoopbackReply
        /// The body that has to come of it, if the response stayed valid.
        let body: Data?
    }

    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    subscript(number: Int) -> Case {
        var mutation = ResponseMutation(seed: self.seed &+ UInt64(number))
        let template = Self.templates[mutation.next(below: Self.templates.count)]
        let bytes = mutation.mutate(template.bytes)
        var steps: [LoopbackReply.Step] = []
        for piece in mutation.split(bytes) {
            steps.append(.bytes(piece))
            if mutation.next(below: 4) == 0 { steps.append(.wait(.milliseconds(1))) }
        }
        let isReset = mutation.next(below: 8) == 0
        steps.append(isReset ? .reset : .close)
        return Case(reply: LoopbackReply(steps: steps), body: bytes == template.bytes && !isReset ? template.body : nil)
    }

    // MARK: - Templates

    static let templates: [Template] = [
        Self.template("", Self.text),
        Self.template(
            "Content-Length: \(Self.text.count)\r\nX-A: b\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n", Self.text),
        Self.template("Content-Length: 0\r\n", Data()),
        Self.template("Transfer-Encoding: chunked\r\n", Self.chunked(Self.text, ""), body: Self.text),
        Self.template(
            "Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n", Self.chunked(Self.text, "X-Sum: 1\r\nX-B: 2\r\n"),
            body: Self.text),
        Self.template(
            "Content-Encoding: gzip\r\nContent-Length: \(Self.gzip.count)\r\n", Self.gzip, body: Self.packed),
        Self.template(
            "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", Self.chunked(Self.gzip, ""), body: Self.packed),
        Self.template("Content-Encoding: deflate\r\n", Self.deflate, body: Self.packed),
        Self.template("Content-Encoding: br\r\nContent-Length: 9\r\n", Self.brotli, body: Self.word),
        Self.template("Content-Encoding: zstd\r\nContent-Length: 14\r\n", Self.zstd, body: Self.word),
        Self.template("Content-Length: 5\r\n", Self.word, status: "HTTP/1.0 404 Not Found"),
        Self.template("", Data(), status: "HTTP/1.1 204 No Content"),
        Self.template(
            "Content-Length: 5\r\n", Self.word,
            status: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK"),
        Self.template("Location: /elsewhere\r\nContent-Length: 0\r\n", Data(), status: "HTTP/1.1 302 Found"),
    ]

    private static let word = Data("hello".utf8)
    private static let text = Data("a body of some length, with a few words in it".utf8)
    private static let packed = Data((0..<60).map { "line \($0) of a body that packs well; " }.joined().utf8)
    /// The same in gzip (RFC 1952), as zlib packs it.
    private static let gzip = Self.bytes(
        "H4sIAAAAAAACA43V3QkCQQxF4VZSgklu/MFqRndFcXAFF8TuxQY8836ePsJNvz1m29hysWanZfrYem2rPdv5/rL33P"
            + "vR+q9wLAKLxEJYFBZbLHZY7LE4sNgAKqs6szq7OsM6yzrTOts64zrrBuvGwM2ybrBusG6wbrBusG6wbrBusm6ybg5M"
            + "Ausm6ybrJusm6ybrJuuKdcW6Yl0NLC7rinXFumJdsa5Yt1i3WLdYt1i3Bh4a6xbrFusW69Zf3S9E8Yp1KggAAA==")
    /// The same in zlib's own format (RFC 1950), which is what `deflate` means.
    private static let deflate = Self.bytes(
        "eJyN1d0JAkEMReFWUoJJbvzBakZ3RXFwBRfE7sUGPPN+nj7CTb89ZtvYcrFmp2X62Hptqz3b+f6y99z70fqvcCwCi8"
            + "RCWBQWWyx2WOyxOLDYACqrOrM6uzrDOss60zrbOuM66wbrxsDNsm6wbrBusG6wbrBusG6wbrJusm4OTALrJusm6ybr"
            + "Jusm6ybrinXFumJdDSwu64p1xbpiXbGuWLdYt1i3WLdYtwYeGusW6xbrFuvWX90vavC46w==")
    private static let brotli = Data([0x0B, 0x02, 0x80]) + Self.word + Data([0x03])
    private static let zstd = Data([0x28, 0xB5, 0x2F, 0xFD, 0x20, 5, 0x29, 0, 0]) + Self.word

    private static func bytes(_ base64: String) -> Data {
        Data(base64Encoded: base64) ?? Data()
    }

    private static func template(
        _ fields: String, _ content: Data, status: String = "HTTP/1.1 200 OK", body: Data? = nil
    ) -> Template {
        Template(bytes: Data("\(status)\r\n\(fields)\r\n".utf8) + content, body: body ?? content)
    }

    /// Content in the chunked coding (RFC 9112 §7.1), in chunks of 20 bytes, the first of which has an extension.
    private static func chunked(_ content: Data, _ trailers: String) -> Data {
        var bytes = Data()
        var rest = content
        while !rest.isEmpty {
            let chunk = rest.prefix(20)
            let size = String(chunk.count, radix: 16)
            bytes += Data("\(size)\(bytes.isEmpty ? ";name=value" : "")\r\n".utf8) + chunk + Data("\r\n".utf8)
            rest = rest.dropFirst(20)
        }
        return bytes + Data("0\r\n\(trailers)\r\n".utf8)
    }
}
