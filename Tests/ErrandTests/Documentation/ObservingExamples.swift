internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article about activity, progress and traces.
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct ObservingExamples {
        @MainActor
        private final class Indicator {
            var isHidden = false
        }

        @Test func `activity is shown`() async throws {
            let transport = Documented.makeTransport()

            let activity = NetworkActivity()
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.accessories = [activity]
            }

            _ = try await client.send(GetUser(userID: "1"))
            #expect(activity.count == 0)
        }

        @MainActor
        @Test func `an indicator follows it`() async {
            let (indicator, activity) = (Indicator(), NetworkActivity())
            let task = Task { @MainActor in
                for await isVisible in activity.values {
                    indicator.isHidden = !isVisible
                }
            }
            await fixtureUntil { indicator.isHidden }
            task.cancel()
            await task.value
        }

        @Test func `progress is shown`() async throws {
            let client = Documented.makeClient()
            let window = Progress(totalUnitCount: 1)

            let reporter = ProgressAccessory(parent: window)
            let request = client.request(GetImage(name: "sun"), options: .accessories([reporter]))
            reporter.whenCancelled { request.cancel() }
            let image = try await request.value

            #expect(image == Data("image".utf8))
            #expect(window.fractionCompleted == 1)
        }

        @MainActor
        private final class Bar {
            var fraction: Double?
            var timeLeft: Duration?
        }

        @MainActor
        @Test func `speed and time left are shown`() async throws {
            let (transport, bar) = (Documented.makeTransport(), Bar())

            let meter = TransferMeter()
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.accessories = [meter]
            }

            let task = Task { @MainActor in
                for await reading in meter.readings {
                    bar.fraction = reading.fractionCompleted
                    bar.timeLeft = reading.timeLeft
                }
            }
            _ = try await client.send(GetImage(name: "sun"))
            #expect(meter.reading.received.bytes == 5)
            task.cancel()
            await task.value
        }

        @Test func `a trace goes on`() async throws {
            let transport = Documented.makeTransport()
            let incoming = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.interceptors = [TracingInterceptor(reaches: { $0.host == "api.example.com" })]
            }

            try await TraceContext.$current.withValue(TraceContext(traceparent: incoming)) {
                _ = try await client.send(GetUser(userID: "1"))
            }

            let sent = transport.received.first?.headers["traceparent"] ?? ""
            #expect(sent.hasPrefix("00-0af7651916cd43dd8448eb211c80319c-"))
        }
    }
}
