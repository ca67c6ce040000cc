import Errand
import ErrandTesting
import Foundation
import TestEffort
import Testing

@Suite("Thousands of schedules: downloads in segments (G1–G3, G6, G8, G13, G17)", .timeLimit(.minutes(60)), .paced)
struct SegmentScheduleTests {
    private static let body = streamingBytes(3_300_001)
    private static let place = "file"

    /// The disk is a real one, on a thread of its own: the run waits for it, and it may be slow.
    @Test("Wherever one is suspended, cancelled or cut, what has come is right, and the next call goes on")
    func goesOn() async throws {
        try await Simulation.explore(
            schedules: TestEffort.schedules.count,
            limits: Simulation.Limits(stepTimeout: .seconds(600), patience: .seconds(600)), Self.scenario)
    }

    @Sendable
    private static func scenario(_ simulation: Simulation.Context) async throws {
        let (folder, transport, recorder) = (
            try TestFolder(), RangeTransport(self.body, simulation), EventRecorder()
        )
        let slots = simulation.random.int(in: 1..<6)
        let client = Client(baseURL: "http://sim.invalid/") {
            $0.transport = transport
            $0.environment.clock = simulation.clock
            $0.options = $0.options.withoutTimeout()
            $0.limits.concurrency = RequestScheduler.Limits(total: slots, perHost: slots)
            $0.accessories = [recorder]
        }
        let call = SegmentCall(file: folder.file(Self.place), segments: simulation.random.int(in: 1..<6))
        var count = 0
        while true {
            count += 1
            let isDisturbed = count <= 4
            if !isDisturbed { transport.calmDown() }
            let result = await Self.run(client.request(call), isDisturbed, simulation)
            try #require(transport.activeCount == 0, "G6: no exchange is left")
            guard case .failure(let error) = result else { break }
            try #require(isDisturbed, "the last one succeeds, and has \(error)")
            try #require(
                [.cancelled, .connectionLost, .unacceptableStatus].contains(error.code), "no other error, as \(error)")
            guard let early = try? Data(contentsOf: call.file) else { continue }
            // A cancellation may come when the file has just got its place.
            try #require(error.code == .cancelled, "an error, and the file is there")
            try #require(early == Self.body, "G17: no name before it is whole")
            try #require(try Self.names(in: folder) == [Self.place], "G13: nothing to go on from is left")
            // The next call is to bring a file of its own.
            try FileManager.default.removeItem(at: call.file)
        }
        try #require(try Data(contentsOf: call.file) == Self.body, "G17: the right bytes")
        try #require(try Self.names(in: folder) == [Self.place], "G13: nothing else is left")
        try await Self.checkNothingIsLeft(client, recorder)
        await client.shutdown()
    }

    /// Sends a request that may be suspended, resumed and cancelled meanwhile, at any points.
    private static func run(
        _ request: Request<SegmentCall>, _ isDisturbed: Bool, _ simulation: Simulation.Context
    ) async -> Result<URL, ErrandError> {
        let cancels = simulation.random.int(in: 0..<3) == 0
        return await withTaskGroup(of: Void.self) { group in
            if isDisturbed {
                group.addTask {
                    for _ in 0..<simulation.random.int(in: 0..<3) {
                        await simulation.pause(yields: 150)
                        request.suspend()
                        await simulation.pause(yields: 150)
                        request.resume()
                    }
                }
            }
            if isDisturbed && cancels {
                group.addTask {
                    await simulation.pause(yields: 150)
                    request.cancel()
                }
            }
            do throws(ErrandError) {
                return .success(try await request.value)
            } catch {
                return .failure(error)
            }
        }
    }

    private static func names(in folder: TestFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    }

    private static func checkNothingIsLeft(_ client: Client, _ recorder: EventRecorder) async throws {
        try #require(await client.record.snapshot().isEmpty, "G3, G6: out of the record")
        let (active, waiting) = (await client.scheduler.activeCount, await client.scheduler.waitingCount)
        try #require(active == 0 && waiting == 0, "G3, G6: slots are free, and nobody waits")
        for id in recorder.ids(of: .request) {
            try #require(
                recorder.hooks(of: id) == ["willStart", "didStart", "willStop", "didStop"], "G2: each hook once")
        }
    }
}

/// A file that comes in segments.
private struct SegmentCall: Endpoint {
    let file: URL
    let segments: Int

    var path: EndpointPath { "a" }
    var options: RequestOptions { .destination(.file(self.file, resuming: .automatic(segments: self.segments))) }

    func decode(_ response: HTTPResponse) throws -> URL { self.file }
}
