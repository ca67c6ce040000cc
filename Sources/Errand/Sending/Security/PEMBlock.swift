internal import Foundation

/// A block of a PEM text (RFC 7468): its label and its bytes.
struct PEMBlock: Equatable {
    /// The reason for which a text is not valid PEM, without the content of its blocks.
    struct Problem: Error, Equatable {
        let message: String

        init(_ message: String) {
            self.message = message
        }
    }

    /// The label after `BEGIN`, such as `CERTIFICATE`.
    let label: String
    /// The bytes, which are DER unless they are encrypted.
    let bytes: Data
    /// True if the block needs a passphrase.
    let isEncrypted: Bool

    var isPrivateKey: Bool { self.label.endsExactly(with: "PRIVATE KEY") }
    var isCertificate: Bool { self.label == "CERTIFICATE" }

    /// Parses all blocks, skipping text around them.
    static func blocks(in pem: Data) throws(Problem) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var open: (label: String, lines: [String])?
        for line in String(decoding: pem, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if let label = Self.label(of: line, after: "-----BEGIN ") {
                if let open { throw Problem("the block \(open.label) has no end") }
                open = (label, [])
            } else if let label = Self.label(of: line, after: "-----END ") {
                guard let block = open.take(), block.label == label else {
                    throw Problem("the block \(label) has no beginning")
                }
                blocks.append(try PEMBlock(label: label, lines: block.lines))
            } else {
                open?.lines.append(line)
            }
        }
        if let open { throw Problem("the block \(open.label) has no end") }
        return blocks
    }

    /// Parses the lines between the dashes: optional fields in the style of RFC 1421, and base64.
    private init(label: String, lines: [String]) throws(Problem) {
        let fields = lines.prefix { $0.containsExactly(":") }
        guard let bytes = Data(base64Encoded: lines.dropFirst(fields.count).joined()), !bytes.isEmpty else {
            throw Problem("the block \(label) is not base64")
        }
        self.label = label
        self.bytes = bytes
        self.isEncrypted = label.startsExactly(with: "ENCRYPTED") || fields.contains { $0.containsExactly("ENCRYPTED") }
        guard !self.isCertificate || bytes.isOneSequence else {
            throw Problem("a certificate is truncated or invalid")
        }
    }

    private static func label(of line: String, after start: String) -> String? {
        guard line.startsExactly(with: start), line.endsExactly(with: "-----"), line.utf8.count > start.utf8.count + 5
        else { return nil }
        return String(line.dropFirst(start.count).dropLast(5))
    }
}

extension Data {
    /// True if this is a single DER `SEQUENCE`, as far as its length tells (X.690 §8.1).
    fileprivate var isOneSequence: Bool {
        guard self.count >= 2, self[self.startIndex] == 0x30 else { return false }
        let first = Int(self[self.startIndex + 1])
        guard first >= 0x80 else { return self.count == 2 + first }
        let size = first & 0x7F
        guard 1...4 ~= size, self.count > 2 + size else { return false }
        let length = self.dropFirst(2).prefix(size).reduce(0) { $0 << 8 | Int($1) }
        return self.count == 2 + size + length
    }
}
