internal import Foundation

/// One block of a PEM text (RFC 7468): what it is, and its bytes.
struct PEMBlock: Equatable {
    /// Why a text is not PEM, in words that contain nothing of what is in its blocks.
    struct Problem: Error, Equatable {
        let message: String

        init(_ message: String) {
            self.message = message
        }
    }

    /// What stands behind `BEGIN`, such as `CERTIFICATE`.
    let label: String
    /// The bytes, which are DER unless they are encrypted.
    let bytes: Data
    /// Whether the block needs a passphrase.
    let isEncrypted: Bool

    var isPrivateKey: Bool { self.label.endsExactly(with: "PRIVATE KEY") }
    var isCertificate: Bool { self.label == "CERTIFICATE" }

    /// Finds all blocks; text around them is passed over.
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

    /// Reads what is between the lines of dashes: fields in the style of RFC 1421, if any, and base64.
    private init(label: String, lines: [String]) throws(Problem) {
        let fields = lines.prefix { $0.containsExactly(":") }
        guard let bytes = Data(base64Encoded: lines.dropFirst(fields.count).joined()), !bytes.isEmpty else {
            throw Problem("the block \(label) is not base64")
        }
        self.label = label
        self.bytes = bytes
        self.isEncrypted = label.startsExactly(with: "ENCRYPTED") || fields.contains { $0.containsExactly("ENCRYPTED") }
        guard !self.isCertificate || bytes.isOneSequence else {
            throw Problem("a certificate is cut short or is none")
        }
    }

    private static func label(of line: String, after start: String) -> String? {
        guard line.startsExactly(with: start), line.endsExactly(with: "-----"), line.utf8.count > start.utf8.count + 5
        else { return nil }
        return String(line.dropFirst(start.count).dropLast(5))
    }
}

extension Data {
    /// Whether this is one `SEQUENCE` of DER and nothing else, as far as its length tells (X.690 §8.1).
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
