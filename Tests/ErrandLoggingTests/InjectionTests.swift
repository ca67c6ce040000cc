internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Logging: lines cannot be forged", .timeLimit(.minutes(60)), .paced)
struct InjectionTests {
    struct `A "call" with é`: Endpoint {
        typealias Response = String
        var path: EndpointPath { "a" }
    }

    /// What a terminal or a reader of lines could be made to believe.
    static let attacks = [
        "a\nb", "a\r\nb", "\u{1B}[2J\u{1B}[31m", "\u{9B}31m", "a\u{2028}b\u{2029}c", "\u{85}", "\u{202E}txt.exe",
        "\u{7F}",
        "\u{0}", "\" \\ \"", "\\u{1B}", "\u{FEFF}\u{200B}", "\u{E000}", "e\u{301}\u{1F600}", "\u{8}\u{8}",
    ]

    private static func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
            default: true
            }
        }
    }

    private func world(_ format: LogFormat = .text) -> LogWorld {
        LogWorld(level: .bodies(), format: format) { $0.baseURLs.main = "https://api.test/" }
    }

    @Test(arguments: attacks, [LogFormat.text, .json])
    func `by a tag, a header field, a body or a message`(attack: String, format: LogFormat) async throws {
        let world = self.world(format)
        world.transport.route("/bad", .failure(.transportFailed, "it says \(attack)"))
        world.transport.route(
            "*",
            .data(Data(attack.utf8), headers: ["Content-Type": "text/plain; x=\"\(attack)\"", "X-\(attack)": attack]))
        let options = RequestOptions.tag(attack)
        _ = try? await world.client.send(LogCall("a"), options: options)
        _ = try? await world.client.send(LogCall("bad"), options: options)
        _ = try? await world.client.send(`A "call" with é`(), options: options)
        await world.log.flush()
        #expect(world.sink.lines.count == 14)
        for text in world.sink.texts {
            #expect(Self.isHarmless(text), "\(text)")
            guard format == .json else { continue }
            guard case .object(let line) = try JSONValue(parsing: Data(text.utf8)) else {
                Issue.record("not an object: \(text)")
                continue
            }
            #expect(line["tag"] == .string(attack))
        }
    }

    @Test func `by the name of an endpoint`() async throws {
        let world = self.world()
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(`A "call" with é`())
        await world.log.flush()
        // The space in such a name is one that does not break.
        let line = try #require(world.sink.texts.first).replacing("\u{A0}", with: " ")
        #expect(line.contains(#" start "`A \"call\" with é`" GET https://api.test/a"#), "\(line)")
    }

    @Test func `by where a response leads to`() async throws {
        let world = self.world()
        world.transport.route(
            "*", .data(Data(), status: 302, headers: ["Location": "/b\n# done\u{1B}[1m", "X-A": "\u{202E}"]))
        _ = try? await world.client.send(LogCall("a"))
        await world.log.flush()
        #expect(world.sink.texts.allSatisfy(Self.isHarmless))
        #expect(world.sink.lines.allSatisfy { $0.text.hasPrefix("20") })
    }
}
