internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Accessories".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct AccessoriesExamples {
        struct Log: Accessory {
            let write: @Sendable (String) -> Void

            func willStart(_ activity: RequestActivity) {
                self.write("\(activity.id) \(activity.name) starts")
            }

            func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
                switch end.result {
                case .finished: self.write("\(activity.id) took \(end.timings.total)")
                case .cached: self.write("\(activity.id) was in the cache")
                case .failed(let error): self.write("\(activity.id) failed: \(error)")
                }
            }

            func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
                if case .attemptStarted(let number) = event, number > 1 {
                    self.write("\(activity.id) tries again")
                }
            }
        }

        actor Store {
            private(set) var lines: [String] = []

            func write(_ line: String) {
                self.lines.append(line)
            }
        }

        actor Journal: AsyncAccessory {
            private let store: Store

            init(_ store: Store) {
                self.store = store
            }

            func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async {
                await self.store.write("\(activity.name): \(end.attempts)")
            }
        }

        @Test func `an accessory that waits`() async throws {
            let store = Store()
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = Documented.makeTransport()
                $0.accessories = [Journal(store)]
            }
            _ = try await client.send(GetUser(userID: "1"))
            #expect(await store.lines == ["GetUser: 1"])
        }

        @Test func `an accessory for all and one for this call`() async throws {
            let transport = Documented.makeTransport()

            let recorder = EventRecorder()
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.accessories = [Log { print($0) }]
            }
            let request = client.request(GetUser(userID: "1"), options: .accessories([recorder]))
            _ = try await request.value
            #expect(recorder.names(of: request.id).contains("attemptStarted"))
            #expect(recorder.hooks(of: request.id) == ["willStart", "didStart", "willStop", "didStop"])
        }

        @Test func `a child names its parent`() async throws {
            let recorder = EventRecorder()
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = Documented.makeTransport()
                $0.accessories = [recorder]
            }
            let batch = client.batch(GetImage(name: "sun"), GetImage(name: "moon"))
            _ = try await batch.value
            let parents = recorder.entries.filter { $0.activity.kind == .request }.map(\.activity.parent)
            #expect(!parents.isEmpty && parents.allSatisfy { $0 == batch.id })
        }
    }
}
