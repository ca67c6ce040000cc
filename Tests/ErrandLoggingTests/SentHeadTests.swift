internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Logs: the head that was sent", .timeLimit(.minutes(60)), .paced)
struct SentHeadTests {
    private func world(_ format: LogFormat) -> LogWorld {
        let world = LogWorld(level: .heads, format: format) {
            $0.credentials.origin = .bearer("hunter2")
            $0.credentials.secretHeaders = ["X-Own"]
            $0.headers = ["X-Own": "hunter2", "X-Page": "1"]
            $0.options = $0.options.defaultHeaders(.off)
        }
        world.transport.route(
            "/v1/a", .data(Data(), status: 307, headers: ["Location": "https://b.test/z?token=hunter2"]))
        world.transport.route("*", .text("x"))
        return world
    }

    @Test func `is a line where it is another one than the request began with, without secrets`() async throws {
        let world = self.world(.textWithoutTime)
        _ = try await world.client.send(LogCall("a"))
        let lines = await world.texts().filter { $0.contains("sent-head") }
        #expect(
            lines == [
                #"# sent-head LogCall GET https://api.test/v1/a "X-Own: ***" "X-Page: 1" "Authorization: Bearer ***""#,
                #"# sent-head LogCall GET https://b.test/z?token=*** "X-Page: 1""#,
            ])
    }

    @Test func `is an object for programs`() async throws {
        let world = self.world(.json)
        _ = try await world.client.send(LogCall("a"))
        let heads = try await world.objects().filter { $0["event"] == "sent-head" }
        #expect(heads.map { $0["url"] } == ["https://api.test/v1/a", "https://b.test/z?token=***"])
        #expect(heads.first?["headers"] == [["X-Own", "***"], ["X-Page", "1"], ["Authorization", "Bearer ***"]])
        #expect(heads.first?["method"] == "GET")
    }
}
