internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation

/// A client over a double, whose every line is kept.
struct LogWorld {
    let transport = StubTransport()
    let sink = MemorySink()
    let log: LoggingAccessory
    let client: Client

    /// 2001-02-03T04:05:06.789Z.
    static let date: @Sendable () -> Date = { Date(timeIntervalSince1970: 981_173_106.789) }

    init(
        level: LogLevel = .lines, format: LogFormat = .text, secretNames: [String] = [], showsForms: Bool = false,
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) {
        let log = LoggingAccessory(
            to: self.sink, level: level, format: format, secretNames: secretNames, showsForms: showsForms,
            date: Self.date)
        var configuration = Client.Configuration(baseURL: "https://api.test/v1/")
        configuration.transport = self.transport
        (configuration.environment.clock, configuration.environment.date) = (TestClock(), Self.date)
        configuration.accessories = [log]
        configure(&configuration)
        self.log = log
        self.client = Client(configuration)
    }

    /// The lines once all are written, with `#` in place of the number of each id.
    func texts() async -> [String] {
        await self.log.flush()
        return self.sink.texts.map(Self.withoutNumbers)
    }

    static func withoutNumbers(_ line: String) -> String {
        line.replacing(#/#\d+/#, with: "#")
    }

    /// The lines as JSON.
    func objects() async throws -> [JSONValue.Members] {
        await self.log.flush()
        return try self.sink.texts.map { line in
            guard case .object(let members) = try JSONValue(parsing: Data(line.utf8)) else { return [:] }
            return members
        }
    }
}
