internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("Transfers, measured", .timeLimit(.minutes(60)), .paced)
    struct TransferMeterTests {
        private let scene: StreamingScene
        private let meter = TransferMeter(every: .zero)

        init() throws {
            self.scene = try StreamingScene()
        }

        @Test func `a download is measured to its end`() async throws {
            let body = streamingBytes(1_000_000)
            self.scene.server.route("GET", "/a", .data(body))
            let meter = self.meter
            let client = self.scene.client { $0.accessories = [meter] }
            _ = try await client.download(FixtureText(), to: self.scene.place())
            let reading = meter.reading
            #expect(reading.received == TransferProgress(bytes: 1_000_000, total: 1_000_000))
            #expect(reading.sent.bytes == 0)
            #expect(reading.fractionCompleted == 1)
        }

        @Test func `a resumed download counts what was there before`() async throws {
            let body = streamingBytes(300_000)
            self.scene.server.route("GET", "/a") { .range(of: body, for: $0, cutAfter: 100_000) }
            let meter = self.meter
            let client = self.scene.client { $0.accessories = [meter] }
            _ = try await client.download(FixtureText(), to: self.scene.place(), resuming: .automatic)
            #expect(meter.reading.received == TransferProgress(bytes: 300_000, total: 300_000))
        }

        @Test func `an upload is measured`() async throws {
            self.scene.server.route("POST", "/a", .text("x"))
            let meter = self.meter
            let client = self.scene.client { $0.accessories = [meter] }
            let call = FixtureText {
                $0.method = .post
                $0.body = .bytes(streamingBytes(500_000))
            }
            #expect(try await client.send(call) == "x")
            #expect(meter.reading.sent == TransferProgress(bytes: 500_000, total: 500_000))
        }

        @Test func `a batch is measured as one`() async throws {
            self.scene.server.route("GET", "/*", .data(streamingBytes(100_000)))
            let meter = self.meter
            let client = self.scene.client { $0.accessories = [meter] }
            _ = try await client.batch(of: (0..<5).map { FixtureData(path: "\($0)") }).value
            #expect(meter.reading.received.bytes <= 500_000)
            #expect(meter.reading.received.bytes >= 100_000)
        }

        @Test func `readings begin with what is shown, and end with the meter`() async throws {
            var meter: TransferMeter? = TransferMeter()
            let readings = try #require(meter?.readings)
            meter = nil
            var all: [TransferMeter.Reading] = []
            for await reading in readings { all.append(reading) }
            #expect(all.map(\.received.bytes) == [0])
            #expect(all.first?.fractionCompleted == nil)
        }

        @Test func `readings come no more often than they are wanted`() async throws {
            let clock = TestClock()
            let meter = TransferMeter(every: .seconds(1), clock: clock)
            let activity = RequestActivity(id: .next(), kind: .request)
            let readings = meter.readings
            let collected = Task {
                var counts: [Int64] = []
                for await reading in readings {
                    counts.append(reading.received.bytes)
                    if reading.received.bytes >= 40 { break }
                }
                return counts
            }
            meter.observe(.attemptStarted(1), of: activity)
            for count in 1...4 {
                for piece in 1...10 {
                    let bytes = Int64(10 * (count - 1) + piece)
                    meter.observe(.received(TransferProgress(bytes: bytes, total: 40)), of: activity)
                }
                clock.advance(by: .seconds(1))
            }
            meter.observe(.received(TransferProgress(bytes: 40, total: 40)), of: activity)
            let counts = await collected.value
            #expect(counts.count <= 6)
            #expect(counts.last == 40)
            #expect(meter.reading.bytesPerSecond != nil)
        }
    }
#endif
