internal import ErrandTesting
internal import Foundation

/// A text, packed in one of the formats that responses come in.
struct PackedText: Sendable, CustomStringConvertible {
    let description: String
    /// What `Content-Encoding` says.
    let coding: String
    let bytes: Data
    /// How many bytes at the end are a checksum, or a checksum and a length.
    let trailer: Int

    private init(_ description: String, _ coding: String, trailer: Int, _ base64: String) {
        self.description = description
        self.coding = coding
        self.trailer = trailer
        self.bytes = Data(base64Encoded: base64) ?? Data()
    }

    static let text = Data((0..<6).map { "line \($0) of a text that packs\n" }.joined().utf8)

    static let gzip = PackedText(
        "gzip", "gzip", trailer: 8,
        "H4sIAAAAAAACA8vJzEtVMFDIT1NIVChJrShRKMlILFEoSEzOLubKAckZ4pEzwiNnjEfOBI+cKXY5AKlJyUGoAAAA")
    static let br = PackedText(
        "br", "br", trailer: 0, "G6cAAARkbp2SHiKAxmDAzc1pkGAzIcgkSc1qS/+9TqLcyaDyF6/cwvfE1dQ1tEEH")
    static let zstd = PackedText(
        "zstd", "zstd", trailer: 4,
        "KLUv/QRYrQEAZAJsaW5lIDAgb2YgYSB0ZXh0IHRoYXQgcGFja3MKbGluZSAxMjM0NQUAQBEQHggZCIU+nE8T0RKo")
    static let all = [
        gzip,
        PackedText(
            "deflate", "deflate", trailer: 4,
            "eJzLycxLVTBQyE9TSFQoSa0oUSjJSCxRKEhMzi7mygHJGeKRM8IjZ4xHzgSPnCl2OQCPCThQ"),
        PackedText(
            "deflate without a frame", "deflate", trailer: 0,
            "y8nMS1UwUMhPU0hUKEmtKFEoyUgsUShITM4u5soByRnikTPCI2eMR84Ej5wpdjkA"),
        br, zstd,
    ]

    /// A response of these bytes, whose end is told in one of three ways.
    static func reply(_ bytes: Data, _ coding: String, framing: Int = 0) -> LoopbackReply {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n"
        switch framing % 3 {
        case 0: return LoopbackReply(.bytes(Data("\(head)Content-Length: \(bytes.count)\r\n\r\n".utf8) + bytes))
        case 1: return LoopbackReply(.bytes(Data("\(head)Connection: close\r\n\r\n".utf8) + bytes), .close)
        // Each byte a chunk, and so a piece of its own.
        default: return .chunked(bytes.map { Data([$0]) }, headers: ["Content-Encoding": coding])
        }
    }
}
