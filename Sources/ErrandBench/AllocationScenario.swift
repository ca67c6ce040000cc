internal import Errand
internal import Foundation

/// The number of memory allocations per request.
struct AllocationScenario: Scenario {
    struct Options: ScenarioOptions {
        var rounds = 3
        var requests = 2_000

        mutating func take(_ option: String, _ words: inout ArgumentWords) throws(UsageError) {
            guard option == "--requests" else { throw .unknown(option) }
            self.requests = try words.number(of: option)
        }
    }

    static let name = "allocations"
    static let help = """
        errand-bench allocations [--requests N] [--rounds N] [--json]

        Counts memory allocations, on average for one request of many that are sent one after another, each
        in a task of its own, over an in-memory transport. It needs a preloaded library that counts: .ci/allocations
        builds it, and compares the numbers with their limits.

          --requests N   requests of one measurement (default 2000)
          --rounds N     rounds of each measurement; the smallest number counts (default 3)
          --json         one JSON object per line: {"scenario":…,"metric":…,"value":…,"unit":…}

        Metrics:
          floor            the same calls without Errand
          plain            a request without accessories
          accessory        a request with an accessory that never waits
          async-accessory  a request with an accessory that may wait
        """

    let options: Options
    let report: Report

    @concurrent
    func run() async throws {
        let count = try Self.counter()
        let transport = MemoryTransport()
        try await self.measure("floor", count) { await transport.callDirectly() }
        for (name, accessories) in [
            ("plain", []), ("accessory", [CountingAccessory()]), ("async-accessory", [WaitingAccessory()]),
        ] as [(String, [any Accessory])] {
            let client = Client(baseURL: "http://bench.invalid/v1/") {
                $0.transport = transport
                $0.accessories = accessories
            }
            try await self.measure(name, count) { await client.sendItem() }
        }
    }

    private func measure(
        _ name: String, _ count: @convention(c) () -> Int, _ call: @escaping @Sendable () async -> Void
    ) async throws {
        var least = Double.infinity
        // Allocations that are made once and kept fall into earlier rounds than the one that counts.
        for _ in 0..<max(2, self.options.rounds) {
            let before = count()
            for _ in 0..<self.options.requests {
                // Each in a task of its own, as apps send them: a new task has little preallocated memory.
                await withTaskGroup(of: Void.self) { group in group.addTask { await call() } }
            }
            least = min(least, Double(count() - before) / Double(self.options.requests))
        }
        self.report.tell(name, least, "allocations")
    }

    /// The function of the counting library.
    private static func counter() throws -> @convention(c) () -> Int {
        guard let symbol = unsafe dlsym(nil, "errand_allocation_count") else {
            throw BenchError("no library counts allocations; run .ci/allocations, which loads one")
        }
        return unsafe unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)
    }
}

/// An accessory with asynchronous hooks that do not wait.
private struct WaitingAccessory: AsyncAccessory {
    func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {
        if end.attempts != 1 { fatal("wrong end") }
    }
}
