internal import CErrandCodings
internal import Errand
internal import Foundation

/// The cost of encoding bodies and queries, and of decoding JSON, beside the same work without Errand.
struct CodecScenario: Scenario {
    struct Options: ScenarioOptions {
        var rounds = 15

        mutating func take(_ option: String, _ words: inout ArgumentWords) throws(UsageError) {
            throw .unknown(option)
        }
    }

    static let name = "codec"
    static let help = """
        errand-bench codec [--rounds N] [--json]

        Measures encoding and decoding, each beside the same work done without Errand.

          --rounds N   rounds of each measurement; the fastest counts (default 15)
          --json       one JSON object per line: {"scenario":…,"metric":…,"value":…,"unit":…}

        Metrics, K being the work:
          K/floor   microseconds without Errand
          K/errand  microseconds with it
          K/ratio   Errand divided by the floor

          query       the query of 100 parameters; the floor joins names and values that are escaped already
          multipart   a form of 1000 small parts; the floor joins the same bytes
          json        1 MiB of JSON to an array of values; the floor is Foundation's JSONDecoder
          gzip        1 MiB compressed at level 6; the floor is one call of zlib
        """

    let options: Options
    let report: Report

    @concurrent
    func run() async throws {
        try self.measureQuery()
        try self.measureMultipart()
        try self.measureJSON()
        try self.measureGzip()
    }

    /// Times two implementations of the same work in turn; each returns the number of bytes or values, which must be
    /// equal.
    private func measure(
        _ name: String, times: Int, floor: () throws -> Int, errand: () throws -> Int
    ) throws {
        var (best, bestFloor) = (Double.infinity, Double.infinity)
        guard try floor() == errand() else { throw BenchError("\(name): the results differ") }
        for _ in 0..<self.options.rounds {
            bestFloor = min(bestFloor, try Self.microseconds(times, floor))
            best = min(best, try Self.microseconds(times, errand))
        }
        self.report.tell("\(name)/floor", bestFloor, "us")
        self.report.tell("\(name)/errand", best, "us")
        self.report.tell("\(name)/ratio", best / bestFloor, "x")
    }

    private static func microseconds(_ times: Int, _ body: () throws -> Int) throws -> Double {
        var sum = 0
        let duration = try ContinuousClock().measure { for _ in 0..<times { sum &+= try body() } }
        guard sum > 0 else { throw BenchError("the result is empty") }
        return duration / .microseconds(1) / Double(times)
    }

    // MARK: - Measurements

    private func measureQuery() throws {
        // Already sorted, as the standard style requires.
        let names = (0..<100).map { String(format: "name%03d", $0) }
        let parameters = Parameters(names.map { ($0, .string("value of \($0)")) })
        let escaped = names.map { ($0, "value%20of%20\($0)") }
        try self.measure("query", times: 500) {
            var bytes: [UInt8] = []
            for (name, value) in escaped {
                if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
                bytes += name.utf8
                bytes.append(UInt8(ascii: "="))
                bytes += value.utf8
            }
            return String(decoding: bytes, as: UTF8.self).utf8.count
        } errand: {
            try parameters.query().utf8.count
        }
    }

    private func measureMultipart() throws {
        let values = (0..<1000).map { ("field\($0)", Data("the value of field \($0)".utf8)) }
        let boundary = "errand-0123456789abcdef"
        try self.measure("multipart", times: 20) {
            var data = Data()
            for (index, (name, value)) in values.enumerated() {
                data += Data("\(index == 0 ? "" : "\r\n")--\(boundary)\r\n".utf8)
                data += Data("Content-Disposition: form-data; name=\"\(name)\"\r\n\r\n".utf8)
                data += value
            }
            data += Data("\r\n--\(boundary)--\r\n".utf8)
            return data.count
        } errand: {
            var form = MultipartForm(boundary: boundary)
            for (name, value) in values { form.append(name, data: value) }
            guard case .bytes(let data)? = try RequestBody.multipart(form).encoded()?.body else { return 0 }
            return data.count
        }
    }

    private struct Item: Codable, Sendable {
        var id: Int
        var name: String
        var tags: [String]
        var score: Double
    }

    private func measureJSON() throws {
        let items = (0..<12_000).map {
            Item(id: $0, name: "item \($0)", tags: ["a", "bc", "def"], score: Double($0) / 7)
        }
        var data = try JSONEncoder().encode(items)
        data += Data(repeating: 0x20, count: max(0, (1 << 20) - data.count))
        let decoder = JSONDecoder()
        let response = HTTPResponse(status: .ok, headers: ["Content-Type": "application/json"], body: data)
        let errand = ResponseDecoder<[Item]>.json
        try self.measure("json", times: 1) {
            try decoder.decode([Item].self, from: data).count
        } errand: {
            try errand.decode(response).count
        }
    }

    private func measureGzip() throws {
        let data = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 / 9 ^ $0 &* $0 >> 13) })
        if let problem = unsafe errand_zlib_load() { throw BenchError(unsafe String(cString: problem)) }
        try self.measure("gzip", times: 1) {
            var room = [UInt8](repeating: 0, count: 2 << 20)
            guard let deflater = unsafe errand_deflater_make(6) else { throw BenchError("zlib is out of memory") }
            defer { unsafe errand_deflater_free(deflater) }
            let capacity = room.count
            return unsafe data.withUnsafeBytes { bytes in
                let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe errand_deflate(deflater, start, bytes.count, &room, capacity, true).made
            }
        } errand: {
            guard case .bytes(let packed)? = try RequestBody.bytes(data).gzipped().encoded()?.body else { return 0 }
            return packed.count
        }
    }
}
