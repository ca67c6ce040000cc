internal import Errand
internal import ErrandLocks
internal import Foundation

/// What a case plays on: a server, a transport, and a folder if it needs one.
final class ConformanceScene: Sendable {
    typealias Outcome = Result<HTTPResponse, ErrandError>

    private struct State {
        var step = "before the first step"
        var isShutDown = false
        var folder: URL?
        var workCount = 0
    }

    /// What the server answers, byte for byte, to the request that is sent after everything else.
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

    // MARK: - Where it is

    /// What the case is doing, for when it hangs.
    var position: String { "while \(self.state.withLock { $0.step })" }

    /// Notes what the case is about to do, in the form that follows a "while".
    func note(_ step: String) {
        self.state.withLock { $0.step = step }
    }

    // MARK: - Verdicts

    /// The failure of this case, in words.
    func failure(_ expected: String, _ actual: String) -> ConformanceFailure {
        ConformanceFailure(caseID: self.caseID, expected: expected, actual: actual)
    }

    /// Goes on only if something is so.
    func require(
        _ isSo: Bool, _ expected: @autoclosure () -> String, _ actual: @autoclosure () -> String
    ) throws(ConformanceFailure) {
        if !isSo { throw self.failure(expected(), actual()) }
    }

    /// Goes on only if two things are the same.
    func require<Value: Equatable>(
        _ name: String, _ actual: Value, is expected: Value
    ) throws(ConformanceFailure) {
        try self.require(actual == expected, "\(name): \(expected)", "\(actual)")
    }

    /// Has the case wait for something of the server's, with words for when it does not come.
    func wait(for step: String, _ wait: () async -> Bool) async throws(ConformanceFailure) {
        self.note("waiting for \(step)")
        try self.require(await wait(), step, "the end of the server")
    }

    // MARK: - The server

    /// Answers every request to paths below `/case` with a reply.
    func answer(_ reply: LoopbackReply) {
        self.server.route("*", "/case*", reply)
    }

    /// Answers every request to paths below `/case` with a reply made for it.
    func answer(_ handler: @escaping LoopbackRoute.Handler) {
        self.server.route("*", "/case*", handler: handler)
    }

    /// Has the server take no content of requests to paths below `/case`; it is reached once the head of one is there.
    ///
    /// When the gate is open the server says now and then that it is at work. The end of a connection comes behind
    /// content that nobody reads, so only this tells the server of it: nothing can be said to who has left.
    func takeNoContent() -> LoopbackGate {
        let (gate, message) = (LoopbackGate(), Data.message("HTTP/1.1 102 Processing"))
        let messages = Data(repeatElement(message, count: 30_000).joined())
        let says = LoopbackReply.Step.drip(messages, chunk: message.count, every: .milliseconds(20))
        self.server.earlyRoute("*", "/case*", LoopbackReply(.hold(gate), says, .stall))
        return gate
    }

    /// Waits until the server has seen so many connections closed.
    func waitForClosedConnections(_ count: Int = 1) async throws(ConformanceFailure) {
        try await self.wait(for: "\(count) closed connections") { await self.server.waitForClosedConnections(count) }
    }

    // MARK: - The folder

    /// A place for a file that is not there yet, in a folder that goes away with the scene.
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

    /// A file with content.
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

    /// Shuts the transport down, as a part of the case or at its end.
    func shutTransportDown() {
        let isFirst = self.state.withLock { state in
            defer { state.isShutDown = true }
            return !state.isShutDown
        }
        if isFirst { self.transport.shutdown() }
    }

    /// Sends a request that has to succeed, unless the transport was shut down.
    func checkThatItStillWorks() async throws(ConformanceFailure) {
        guard !self.state.withLock({ $0.isShutDown }) else { return }
        try await self.work()
    }

    /// Sends a small request that has to succeed.
    func work() async throws(ConformanceFailure) {
        self.note("sending a request that has to succeed")
        try await self.expect(.response(body: "works"), of: ConformanceExchange(path: "/works"))
        self.state.withLock { $0.workCount += 1 }
    }

    /// How many bytes the server has written besides those of ``work()``.
    var bytesSent: Int {
        self.server.bytesSent - self.state.withLock { $0.workCount } * Self.works.count
    }

    /// Shuts the transport and the server down and waits until the server is gone.
    func end() async {
        self.note("shutting down")
        self.shutTransportDown()
        self.close()
        await self.server.waitUntilStopped()
    }

    /// Stops the server and removes the folder; for the second time without effect.
    func close() {
        self.server.stop()
        if let folder = self.state.withLock({ $0.folder }) { try? FileManager.default.removeItem(at: folder) }
    }
}
