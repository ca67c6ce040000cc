internal import Errand
internal import ErrandLocks
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation

/// Keeps the lines it is given.
final class MemorySink: LogSink {
    private let state = Locked<[LogLine]>([])

    var lines: [LogLine] { self.state.withLock { $0 } }
    var texts: [String] { self.lines.map(\.text) }

    func write(_ batch: LogBatch) {
        self.state.withLock { $0 += batch.lines }
    }
}

/// Keeps the lines it is given, and before that holds its thread until a test lets it go on.
final class HangingSink: LogSink {
    private let kept = MemorySink()
    private let entered = Waiter<Void>()
    private let exit = DispatchSemaphore(value: 0)

    var texts: [String] { self.kept.texts }

    func write(_ batch: LogBatch) {
        self.entered.resume(())
        self.exit.wait()
        self.exit.signal()
        self.kept.write(batch)
    }

    func waitUntilEntered() async {
        _ = await self.entered.wait()
    }

    func letGo() {
        self.exit.signal()
    }

    deinit {
        self.exit.signal()
    }
}

/// Refuses lines as long as it is told to.
final class RefusingSink: LogSink {
    struct Refusal: Error, CustomStringConvertible {
        let description: String
    }

    private let kept = MemorySink()
    private let reason = Locked<String?>("no more room")

    var texts: [String] { self.kept.texts }

    func refuse(_ reason: String?) {
        self.reason.withLock { $0 = reason }
    }

    func write(_ batch: LogBatch) throws {
        if let reason = self.reason.withLock({ $0 }) { throw Refusal(description: reason) }
        self.kept.write(batch)
    }
}

/// What was told, in order.
final class Told: Sendable {
    private let state = Locked<[String]>([])

    var words: [String] { self.state.withLock { $0 } }

    func add(_ word: String) {
        self.state.withLock { $0.append(word) }
    }
}

/// A call that answers a text.
struct LogCall: Endpoint {
    typealias Response = String

    var path: Path
    var method = HTTPMethod.get
    var parameters: Parameters = [:]
    var headers: HTTPFields = [:]
    var body = RequestBody.none
    var caching = CachePolicy.never

    init(_ path: String = "a", _ configure: (inout LogCall) -> Void = { _ in }) {
        self.path = Path(uncheckedReference: path)
        configure(&self)
    }
}

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
        _ configure: (inout Configuration) -> Void = { _ in }
    ) {
        let log = LoggingAccessory(
            to: self.sink, level: level, format: format, secretNames: secretNames, showsForms: showsForms,
            date: Self.date)
        var configuration = Configuration(baseURL: "https://api.test/v1/")
        configuration.transport = self.transport
        (configuration.clock, configuration.date) = (TestClock(), Self.date)
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
    func objects() async throws -> [[String: JSONValue]] {
        await self.log.flush()
        return try self.sink.texts.map { line in
            guard case .object(let members) = try JSONValue(parsing: Data(line.utf8)) else { return [:] }
            return members
        }
    }
}
