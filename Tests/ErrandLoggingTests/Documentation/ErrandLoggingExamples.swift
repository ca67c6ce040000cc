internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// The examples of the page about the module, compiled and run.
@Suite("Logging: documentation", .timeLimit(.minutes(60)), .paced)
struct ErrandLoggingExamples {
    struct GetUser: Endpoint {
        typealias Response = String

        let userID: String

        var path: EndpointPath { "users" }
        var parameters: Parameters { ["id": .string(self.userID)] }
    }

    private let transport = StubTransport()

    init() {
        self.transport.route("*", .text("Ann"))
    }

    private func use(_ log: LoggingAccessory) async throws {
        let client = Client(baseURL: "https://api.example.com/v1/") {
            $0.transport = self.transport
            $0.accessories = [log]
        }
        _ = try await client.send(GetUser(userID: "1"))
        await log.flush()
    }

    @Test func `an accessory is all it takes`() async throws {
        let transport = self.transport

        let log = LoggingAccessory()
        let client = Client(baseURL: "https://api.example.com/v1/") {
            $0.transport = transport
            $0.accessories = [log]
        }
        _ = try await client.send(GetUser(userID: "1"))
        await log.flush()
    }

    @Test func `bodies as JSON`() async throws {
        let log = LoggingAccessory(to: .standardError, level: .bodies(limit: 1024), format: .json)
        try await self.use(log)
    }

    @Test func `a file`() async throws {
        let place = try TestFolder()
        let folder = place.url

        let log = LoggingAccessory(to: .file(folder.appending(path: "app.log"), maximumSize: 1 << 20, keeping: 3))

        try await self.use(log)
        let lines = try String(contentsOf: place.file("app.log"), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2)
    }

    @Test func `swift-log gets each line at its level`() async throws {
        let logger = Logger()

        let log = LoggingAccessory(to: SwiftLogSink(logger: logger), format: .textWithoutTime)

        try await self.use(log)
        #expect(logger.taken.words.count == 2)
        #expect(logger.taken.words.allSatisfy { $0.hasPrefix("info #") })
    }

    @Test func `more secrets`() async throws {
        let log = LoggingAccessory(level: .bodies(), secretNames: ["X-Tenant", "iban"], showsForms: true)
        try await self.use(log)
    }

    @Test func `a problem is told where one likes`() async throws {
        let reports = Told()

        let log = LoggingAccessory(to: RefusingSink()) { problem in
            reports.add(problem)
        }

        try await self.use(log)
        #expect(reports.words == ["no more room"])
    }

    @Test func `every Swift block of the page is compiled`() throws {
        let tests = URL(filePath: #filePath)
        let root = (0..<4).reduce(tests) { folder, _ in folder.deletingLastPathComponent() }
        let page = try String(
            contentsOf: root.appending(path: "Sources/ErrandLogging/ErrandLogging.docc/ErrandLogging.md"),
            encoding: .utf8)
        let code = Self.words(try String(contentsOf: tests, encoding: .utf8))
        let blocks = page.components(separatedBy: "```swift\n").dropFirst().map {
            Self.words($0.components(separatedBy: "\n```").first ?? "")
        }
        #expect(blocks.count == 7)
        for block in blocks { #expect(code.contains(block), "no test has this: \(block)") }
    }

    private static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

struct SwiftLogSink: LogSink {
    let logger: Logger

    func write(_ batch: LogBatch) {
        for line in batch.lines {
            let level: Logger.Level = [.info: .info, .warning: .warning, .error: .error][line.severity] ?? .info
            self.logger.log(level: level, "\(line.text)")
        }
    }
}

/// Has the shape of the logger of swift-log, as far as it is used.
struct Logger: Sendable {
    enum Level: Sendable {
        case trace, debug, info, notice, warning, error, critical
    }

    struct Message: Sendable, ExpressibleByStringInterpolation {
        let text: String

        init(stringLiteral value: String) {
            self.text = value
        }
    }

    let taken = Told()

    func log(level: Level, _ message: @autoclosure () -> Message) {
        self.taken.add("\(level) \(message().text)")
    }
}
