internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

/// How far a transfer is, as a line.
@Suite(.timeLimit(.minutes(60)), .paced)
struct TransferLineTests {
    private static let mebibyte: Int64 = 1 << 20

    @Test func `says the part, the bytes, the rate and the time left`() {
        let line = TransferLine(
            name: "tour.mp4", bytes: 3 * Self.mebibyte, total: 12 * Self.mebibyte, bytesPerSecond: 1.5 * 1024 * 1024)
        #expect(
            line.drawn(columns: 80)
                == "tour.mp4            [####------------]  25 %     3.0 MiB     1.5 MiB/s     0:06")
    }

    @Test func `says what is known only`() {
        let line = TransferLine(name: "tour.mp4", bytes: 700)
        #expect(line.drawn(columns: 80).split(separator: " ") == ["tour.mp4", "700", "B"])
        #expect(line.drawn(columns: 80).count == 79)
    }

    @Test(
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_048_575, "1.0 MiB"), (5 << 30, "5.0 GiB"),
            (Int64.max, "888.2 PiB"),
        ] as [(Int64, String)])
    func `writes bytes in units that are powers of 1024`(_ bytes: Int64, _ text: String) {
        #expect(TransferLine(name: "a", bytes: bytes).drawn(columns: 80).contains(" \(text) "))
    }

    @Test(
        arguments: [
            (59, "0:59"), (60, "1:00"), (3661, "1:01:01"), (359_999, "99:59:59"), (360_000, nil), (Int64.max, nil),
        ] as [(Int64, String?)])
    func `writes how long it will take, unless that is days`(_ left: Int64, _ text: String?) {
        let line = TransferLine(name: "a", bytes: 0, total: left, bytesPerSecond: 1).drawn(columns: 80)
        #expect(line.hasSuffix(text.map { " \($0)" } ?? " 1 B/s         "))
    }

    @Test(arguments: [(0, 0), (5, 0), (0, 7), (9, 7), (-1, 7)] as [(Int64, Int64)], [0.0, -1, .nan, .infinity, 1e300])
    func `takes whatever numbers there are`(_ numbers: (Int64, Int64), _ rate: Double) {
        let line = TransferLine(name: "a", bytes: numbers.0, total: numbers.1, bytesPerSecond: rate)
        #expect(line.drawn(columns: 80).count < 80)
    }

    @Test(arguments: 0...130)
    func `never draws as far as the last column`(_ columns: Int) {
        for name in ["a", String(repeating: "long name ", count: 20)] {
            let line = TransferLine(name: name, bytes: 12_345, total: 99_999, bytesPerSecond: 4_000)
            #expect(line.drawn(columns: columns).count < max(1, columns))
        }
    }

    @Test func `keeps columns below each other, whatever the name`() {
        let lines = ["a", "世界", String(repeating: "x", count: 100)].map { name in
            Array(TransferLine(name: name, bytes: 1, total: 2, bytesPerSecond: 1).drawn(columns: 90))
        }
        #expect(Set(lines.map { $0.firstIndex(of: "[") }).count == 1)
        #expect(lines[2].contains("…"))
    }
}
