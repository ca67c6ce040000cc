internal import Errand
internal import ErrandTesting

/// The scene of the streamed batch: many requests, few of them in memory at a time.
struct DemoStream: Sendable {
    static let width = 64
    static let limit = 32

    let requests: Int

    var scene: DemoScene {
        DemoScene(title: "a streamed batch of \(self.requests) requests, \(Self.limit) in flight") { stage in
            await self.play(stage)
        }
    }

    private func play(_ stage: DemoStage) async {
        let accessory = PrintingAccessory(console: stage.console, printsChildren: false)
        let client = Client(baseURL: stage.server.loopback.baseURL) {
            $0.limits.concurrency = RequestScheduler.Limits(total: Self.limit, perHost: Self.limit)
            $0.options = RequestOptions().timeouts(DemoStage.timeouts)
            $0.accessories = [accessory]
        }
        let receivedBefore = stage.server.loopback.receivedCount
        await stage.console.beginProgress(.output, total: self.requests)
        let result = await self.stream(from: client, stage.console)
        await stage.console.endProgress()
        await self.check(result, on: stage)
        await stage.checks.expect(
            stage.server.loopback.receivedCount - receivedBefore, equals: self.requests,
            "the server received \(self.requests)")
        let tally = await accessory.takeTally()
        await stage.checks.expect(
            tally.ended == self.requests + 1 && tally.isOrderly,
            "\(self.requests + 1) times four hooks ran once, in order")
        await stage.checks.expect(await client.record.count, equals: 0, "nothing is left in the record")
        await client.shutdown()
    }

    // MARK: - Reading the stream

    private struct Reading {
        var fine = 0
        var firstWrong: String?
        var peak = 0
        var duration = Duration.zero
    }

    private func stream(from client: Client, _ console: Console) async -> Reading {
        var reading = Reading()
        let start = ContinuousClock.now
        // Stops at the first failure, since thousands more would be of no interest.
        for await outcome in client.outcomes(
            of: 0..<self.requests, width: Self.width, failure: .failFast,
            making: { GetPart(kind: "stream", number: $0) })
        {
            // Sampled during the run: the number of slots that the scheduler has assigned.
            reading.peak = max(reading.peak, await client.scheduler.activeCount)
            Self.note(outcome, in: &reading)
            await console.advanceProgress()
        }
        reading.duration = ContinuousClock.now - start
        return reading
    }

    private static func note(_ outcome: BatchOutcomes<GetPart>.Outcome, in reading: inout Reading) {
        switch outcome.result {
        case .success(let value) where value.part == outcome.index:
            reading.fine += 1
        case .success(let value):
            reading.firstWrong = reading.firstWrong ?? "position \(outcome.index) has the response to \(value.part)"
        case .failure(let error) where error.code == .cancelled:
            // Another request failed and ended the batch, and its error is reported.
            break
        case .failure(let error):
            reading.firstWrong = reading.firstWrong ?? error.description
        }
    }

    // MARK: - Checking

    private func check(_ reading: Reading, on stage: DemoStage) async {
        let seconds = reading.duration / .seconds(1)
        let rate = seconds > 0 ? Int(Double(self.requests) / seconds) : 0
        await stage.console.line("   \(self.requests) requests in \(Int(seconds * 1000)) ms: \(rate) a second")
        if let wrong = reading.firstWrong { await stage.checks.fail("first error: \(wrong)") }
        await stage.checks.expect(reading.fine, equals: self.requests, "all \(self.requests) came, in order")
        await stage.checks.expect(
            reading.peak <= Self.limit,
            "no more than \(reading.peak) were seen in flight at once, within the limit of \(Self.limit)")
    }
}
