internal import ErrandTesting
internal import Foundation

/// Makes broken responses of valid ones; each follows from its seed alone.
struct ResponseMutation {
    private var random: SplitMix64

    init(seed: UInt64) {
        self.random = SplitMix64(seed: seed)
    }

    /// Pieces that mean something at the wrong place.
    private static let words: [Data] = [
        "\r\n", "\n", "\r", "\r\n\r\n", "0\r\n\r\n", "0\r\n", "\0", ":", " ", "\t", ";", ",", "-1", "+5", "0x10",
        "ffffffffffffffff", "99999999999999999999", "18446744073709551615", "9223372036854775807",
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/2 200\r\n", "HTTP/1.1 1000 X\r\n", "Content-Length: 5\r\n", "Content-Length: -5\r\n",
        "Content-Length: 9223372036854775808\r\n", "Transfer-Encoding: chunked\r\n", "Transfer-Encoding: gzip\r\n",
        "Content-Encoding: gzip\r\n", "Content-Encoding: deflate\r\n", "Content-Encoding: br\r\n",
        "Content-Encoding: zstd\r\n", "Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip\r\n",
        "Connection: close\r\n", "Connection: keep-alive\r\n", "Trailer: X\r\n", " folded\r\n", "Upgrade: h2c\r\n",
        "Location: http://[::1\r\n", "Location: \0\r\n", "WWW-Authenticate: Basic realm=\"\r\n",
        "Alt-Svc: h2=\":443\"; ma=60\r\n", "Set-Cookie: a=b; Expires=never\r\n",
        "Retry-After: 99999999999999999999\r\n",
        "Content-Range: bytes 1-0/-1\r\n", "\u{FEFF}", "é",
    ].map { Data($0.utf8) }

    /// A number below another.
    mutating func next(below bound: Int) -> Int {
        self.random.next(below: bound)
    }

    /// Changes bytes in some places; one in twelve stays as it is.
    mutating func mutate(_ data: Data) -> Data {
        var data = data
        for _ in 0..<self.next(below: 12) where self.next(below: 2) == 0 { data = self.changeOnce(data) }
        return data
    }

    /// Cuts bytes into pieces.
    mutating func split(_ data: Data) -> [Data] {
        var pieces: [Data] = []
        var rest = data
        for _ in 0..<self.next(below: 5) where !rest.isEmpty {
            let piece = rest.prefix(self.next(below: rest.count) + 1)
            pieces.append(Data(piece))
            rest = rest.dropFirst(piece.count)
        }
        return rest.isEmpty ? pieces : pieces + [Data(rest)]
    }

    // MARK: - Changes

    private mutating func changeOnce(_ data: Data) -> Data {
        guard !data.isEmpty else { return self.word() }
        var data = data
        let range = self.range(in: data)
        switch self.next(below: 9) {
        case 0: data[range.lowerBound] ^= 1 << UInt8(self.next(below: 8))
        case 1: data[range.lowerBound] = UInt8(self.next(below: 256))
        case 2: data.removeSubrange(range)
        case 3: data.insert(contentsOf: self.noise(), at: range.lowerBound)
        case 4, 5: data.insert(contentsOf: self.word(), at: range.lowerBound)
        case 6: data.insert(contentsOf: data[range], at: self.range(in: data).lowerBound)
        case 7: data = data.prefix(range.lowerBound)
        default: data.insert(contentsOf: self.heap(of: data[range]), at: range.lowerBound)
        }
        return Data(data)
    }

    private mutating func word() -> Data {
        Self.words[self.next(below: Self.words.count)]
    }

    private mutating func noise() -> Data {
        Data((0...self.next(below: 16)).map { _ in UInt8(truncatingIfNeeded: self.random.next()) })
    }

    /// The same piece many times over, up to more than any buffer for a line holds.
    private mutating func heap(of piece: Data) -> Data {
        let count = 1 << self.next(below: 17)
        var heap = Data(capacity: count + piece.count)
        while heap.count < count, !piece.isEmpty { heap.append(piece) }
        return heap
    }

    /// A part of some bytes, short ones more often than long ones; not empty.
    private mutating func range(in data: Data) -> Range<Int> {
        let start = self.next(below: data.count)
        let length = min(data.count - start, 1 + self.next(below: 1 << self.next(below: 8)))
        return start..<(start + length)
    }
}
