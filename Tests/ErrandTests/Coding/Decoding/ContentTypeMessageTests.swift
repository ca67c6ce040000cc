internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Content types: what messages say", .timeLimit(.minutes(60)), .paced)
struct ContentTypeMessageTests {
    private static let json = "application/json, text/json, text/javascript, application/*+json"

    private func message(_ type: String?, _ endpoint: some Endpoint) async -> String? {
        let world = FixtureWorld()
        world.transport.route(
            "a", .data(Data("x".utf8), headers: type.map { ["Content-Type": $0] } ?? [:]))
        let error = await #expect(throws: ErrandError.self) { try await world.client.send(endpoint) }
        #expect(error?.code == .unacceptableContentType)
        return error?.message
    }

    @Test(
        arguments: [
            ("text/html", "the content type text/html is not accepted"),
            (nil, "the response has a body but no content type"),
            ("json", "the content type \"json\" is invalid"),
        ] as [(String?, String)])
    func `a type that is not accepted is named with those that are, and with the setting`(
        type: String?, problem: String
    ) async {
        #expect(
            await self.message(type, FixtureJSON("a", [String: Int].self))
                == "\(problem), only \(Self.json); change contentTypes of the endpoint's validation to accept it")
    }

    @Test func `the types of the endpoint's own validation are named`() async {
        let endpoint = FixtureText { $0.validation.contentTypes = ["text/csv", "application/x-table"] }
        #expect(
            await self.message("text/plain", endpoint)
                == "the content type text/plain is not accepted, only text/csv, application/x-table; change contentTypes "
                + "of the endpoint's validation to accept it")
        let none = FixtureText { $0.validation.contentTypes = [] }
        #expect(await self.message("text/plain", none)?.contains("not accepted, only nothing;") == true)
    }
}
