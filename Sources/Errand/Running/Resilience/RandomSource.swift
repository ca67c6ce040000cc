internal import ErrandLocks

/// The source of random numbers shared by all requests of a client.
final class RandomSource: Sendable {
    private let generator: Locked<any RandomNumberGenerator & Sendable>

    init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = Locked(generator)
    }

    /// A generator that draws its numbers from this source.
    var numbers: Numbers { Numbers(source: self) }

    struct Numbers: RandomNumberGenerator {
        fileprivate let source: RandomSource

        func next() -> UInt64 { self.source.generator.withLock { $0.next() } }
    }

    /// A random UUID (RFC 9562 §5.4).
    func makeUUID() -> String {
        let numbers = self.numbers
        let high = numbers.next() & ~0xF000 | 0x4000
        let low = numbers.next() & ~(0b11 << 62) | (0b10 << 62)
        let digits = Self.digits(of: high) + Self.digits(of: low)
        let ends = [0, 8, 12, 16, 20, 32]
        return zip(ends, ends.dropFirst()).map { String(decoding: digits[$0..<$1], as: UTF8.self) }
            .joined(separator: "-")
    }

    private static func digits(of number: UInt64) -> [UInt8] {
        let text = String(number, radix: 16)
        return [UInt8](repeating: UInt8(ascii: "0"), count: 16 - text.utf8.count) + Array(text.utf8)
    }
}
