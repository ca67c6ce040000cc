internal import Errand
internal import ErrandLocks
internal import Foundation

/// The environment of a case: a server, a transport, and a folder if needed.
final class ConformanceScene: Sendable {
    typealias Outcome = Result<HTTPResponse, ErrandError>

    private struct State {
        var step = "before the first step"
        var isShutDown = false
        var folder: URL?
        var workCount = 0
    }

    /// The server's reply to the final request of each case.
    static let works = Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nworks".utf8)

    let server: LoopbackServer
    let transport: any Transport
    private let caseID: String
    private let state = Locked(State())

    init(
        _ one: TransportConformance.Case, _ makeTransport: @Sendable () throws -> any Transport
    ) throws(ConformanceFailure) {
        self.caseID = one.id
        do {
            self.server = try LoopbackServer(options: one.options)
            self.transport = try makeTransport()
        } catch {
            throw ConformanceFailure(caseID: one.id, expected: "a server and a transport", actual: "\(error)")
        }
        self.server.route("GET", "/works", LoopbackReply(.bytes(Self.works)))
    }

    // MARK: - Position

    /// The current step of the case, in case it hangs.
    var position: String { "while \(self.state.withLock { $0.step })" }

    /// Records the next step, in a form that follows "while".
    func note(_ step: String) {
        self.state.withLock { $0.step = step }
    }

    // MARK: - Verdicts

    /// Creates a failure of this case.
    func failure(_ expected: String, _ actual: String) -> ConformanceFailure {
        ConformanceFailure(caseID: self.caseID, expected: expected, actual: actual)
    }

    /// Throws a failure unless a condition holds.
    func require(
        _ isSo: Bool, _ expected: @autoclosure () -> String, _ actual: @autoclosure () -> String
    ) throws(ConformanceFailure) {
        if !isSo { throw self.failure(expected(), actual()) }
    }

    /// Throws a failure unless two values are equal.
    func require<Value: Equatable>(
        _ name: String, _ actual: Value, is expected: Value
    ) throws(ConformanceFailure) {
        try self.require(actual == expected, "\(name): \(expected)", "\(actual)")
    }

    /// Waits for the server, and throws a failure that names the step if it stops first.
    func wait(for step: String, _ wait: () async -> Bool) async throws(ConformanceFailure) {
        self.note("waiting for \(step)")
        try self.require(await wait(), step, "the end of the server")
    }

    // MARK: - The server

    /// Sends a reply to every request for paths below `/case`.
    func answer(_ reply: LoopbackReply) {
        self.server.route("*", "/case*", reply)
    }

    /// Sends a reply from a handler to every request for paths below `/case`.
    func answer(_ handler: @escaping LoopbackRoute.Handler) {
        self.server.route("*", "/case*", handler: handler)
    }

    /// Makes the server read no content of requests for paths below `/case`; the gate is reached once a head has
    /// arrived.
    ///
    /// When the gate is open, the server sends an interim response now and then. The end of a connection comes after
    /// content that is never read, so the server only detects it when such a write fails.
    func takeNoContent() -> LoopbackGate {
        let (gate, message) = (LoopbackGate(), Data.message("HTTP/1.1 102 Processing"))
        let messages = Data(repeatElement(message, count: 30_000).joined())
        let says = LoopbackReply.Step.drip(messages, chunk: message.count, every: .milliseconds(20))
        self.server.earlyRoute("*", "/case*", LoopbackReply(.hold(gate), says, .stall))
        return gate
    }

    /// Waits until the server has seen the given number of connections closed.
    func waitForClosedConnections(_ count: Int = 1) async throws(ConformanceFailure) {
        try await self.wait(for: "\(count) closed connections") { await self.server.waitForClosedConnections(count) }
    }

    // MARK: - The folder

    /// Returns the URL of a file that does not exist yet, in a folder that is removed with the scene.
    func place(_ name: String) throws(ConformanceFailure) -> URL {
        if let folder = self.state.withLock({ $0.folder }) { return folder.appending(path: name) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "errand-conformance-\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw self.failure("a folder for files", "\(error)")
        }
        self.state.withLock { $0.folder = folder }
        return folder.appending(path: name)
    }

    /// Creates a file with content.
    func file(_ name: String, _ content: Data) throws(ConformanceFailure) -> URL {
        let place = try self.place(name)
        do {
            try content.write(to: place)
        } catch {
            throw self.failure("a file", "\(error)")
        }
        return place
    }

    // MARK: - The end

    /// Shuts the transport down, as part of the case or at its end.
    func shutTransportDown() {
        let isFirst = self.state.withLock { state in
            defer { state.isShutDown = true }
            return !state.isShutDown
        }
        if isFirst { self.transport.shutdown() }
    }

    /// Sends a request that must succeed, unless the transport was shut down.
    func checkThatItStillWorks() async throws(ConformanceFailure) {
        guard !self.state.withLock({ $0.isShutDown }) else { return }
        try await self.work()
    }

    /// Sends a small request that must succeed.
    func work() async throws(ConformanceFailure) {
        self.note("sending a request that has to succeed")
        try await self.expect(.response(body: "works"), of: ConformanceExchange(path: "/works"))
        self.state.withLock { $0.workCount += 1 }
    }

    /// The number of bytes that the server has written, without those of ``work()``.
    var bytesSent: Int {
        self.server.bytesSent - self.state.withLock { $0.workCount } * Self.works.count
    }

    /// Shuts the transport and the server down, and waits until the server has stopped.
    func end() async {
        self.note("shutting down")
        self.shutTransportDown()
        self.close()
        await self.server.waitUntilStopped()
    }

    /// Stops the server and removes the folder; idempotent.
    func close() {
        self.server.stop()
        if let folder = self.state.withLock({ $0.folder }) { try? FileManager.default.removeItem(at: folder) }
    }
}
