import Errand
import ErrandTesting
import Foundation
import TestEffort
import Testing

@Suite(
    "Accessories that ship, under real parallelism (G2, G11)",
    .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
struct AccessoryRaceTests {
    @Test("Requests, cancels and readers collide on one set of accessories")
    func collide() async throws {
        let activity = NetworkActivity(activationDelay: .microseconds(50), completionDelay: .microseconds(20))
        let stub = StubTransport()
        stub.route(where: { _ in true }) { request, _ in
            request.headers.contains("traceparent") ? .text("x") : .status(500)
        }
        let client = Client(baseURL: "https://api.test/") {
            $0.transport = stub
            $0.accessories = [activity]
            $0.interceptors = [TracingInterceptor()]
        }
        let reader = Task { for await _ in activity.values where Task.isCancelled { break } }
        await withTaskGroup { group in
            for lane in 0..<8 {
                group.addTask {
                    for number in 0..<250 {
                        let reporter = ProgressAccessory()
                        let options = RequestOptions.accessories([reporter])
                        let request = client.request(SimCall(path: "\(lane)/\(number)"), options: options)
                        reporter.whenCancelled { request.cancel() }
                        if number % 3 == 0 { Task { reporter.progress.cancel() } }
                        let value = try? await request.value
                        #expect(value == "x" || number % 3 == 0)
                        #expect(value == nil || reporter.progress.isFinished || number % 3 == 0)
                        if number % 50 == 0 { activity.isEnabled.toggle() }
                    }
                }
            }
        }
        for await count in await client.record.counts where count == 0 { break }
        await fixtureUntil { activity.count == 0 }
        reader.cancel()
        await reader.value
    }
}
