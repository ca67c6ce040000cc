internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation

/// A transport of HTTP/1.1 over plain sockets that keeps every promise and can be told to break one.
///
/// It shows that the suite asks for nothing that cannot be done, and that it notices what is done wrong.
final class PlainTransport: Transport {
    /// A promise that is broken.
    enum Defect: Sendable {
        case changesBodies, swallowsErrors, ignoresLimits, countsFirstLength
        case followsRedirects, sendsEverythingAgain, sendsNothingAgain, keepsNoConnection, keepsEveryConnection
        case reportsInterimHeads, reportsNoProgress, mergesFields, sendsNoLengthOfNothing, readsAhead
        case leavesFiles, overwritesFiles, sendsStreamsAsTheyAre, ignoresStatus, sendsAfterCancelling
        case answersAfterShutdown, mixesConnectionsUp, asksAhead, stopsSendingAtHead, losesSmallPieces
    }

    private struct State {
        var isShutDown = false
        var idle: [String: [PlainConnection]] = [:]
        var live: [WeakConnection] = []
    }

    private struct WeakConnection {
        weak var connection: PlainConnection?
    }

    static let abilities: TransportConformance.Abilities = .all.subtracting([
        .decodesContent, .streamsBothWays, .connectsSecurely, .keepsPartOfFile, .reportsInterimResponses,
        .receivesTrailers,
    ])

    let defect: Defect?
    private let state = Locked(State())

    init(_ defect: Defect? = nil) {
        self.defect = defect
    }

    // MARK: - Transport

    func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
        guard !Task.isCancelled || self.defect == .sendsAfterCancelling else { throw .cancelled() }
        let content = try PlainContent(request.body, self.defect)
        guard !request.url.isSecure else { throw ErrandError(.tlsFailed, "there is no TLS here") }
        if let kept = try self.takeIdle(request.url.authority) {
            do throws(ErrandError) {
                return try await self.perform(request, content, context, on: kept)
            } catch {
                let isLost = error.code == .connectionLost && !kept.hasReceived
                guard isLost, self.defect != .sendsNothingAgain,
                    request.method.isIdempotent || self.defect == .sendsEverythingAgain
                else { throw error }
            }
        }
        let fresh = try await PlainConnection(to: request.url)
        try self.enter(fresh)
        return try await self.perform(request, content, context, on: fresh)
    }

    func shutdown() {
        let live = self.state.withLock { state in
            state.isShutDown = true
            defer { (state.idle, state.live) = ([:], []) }
            return state.live
        }
        for one in live { one.connection?.abort(ErrandError(.clientShutDown, "the transport was shut down")) }
    }

    private func perform(
        _ request: HTTPRequest, _ content: PlainContent, _ context: ExchangeContext, on connection: PlainConnection
    ) async throws(ErrandError) -> HTTPResponse {
        let exchange = PlainExchange(request, content, context, connection, self)
        guard self.defect != .sendsAfterCancelling else { return try await exchange.result().get() }
        let result = await withTaskCancellationHandler {
            await exchange.result()
        } onCancel: {
            connection.abort(.cancelled())
        }
        guard self.defect == .followsRedirects, case .success(let response) = result,
            response.status.kind == .redirection, let target = response.headers["Location"],
            let url = try? HTTPURL(request.url.origin + target)
        else { return try result.get() }
        return try await self.exchange(HTTPRequest(url: url), context)
    }

    // MARK: - Connections

    private func takeIdle(_ authority: String) throws(ErrandError) -> PlainConnection? {
        let key = self.defect == .mixesConnectionsUp ? "" : authority
        let (isShutDown, connection) = self.state.withLock { state in
            (state.isShutDown, state.idle[key]?.popLast())
        }
        guard !isShutDown || self.defect == .answersAfterShutdown else {
            throw ErrandError(.clientShutDown, "the transport was shut down")
        }
        return connection
    }

    private func enter(_ connection: PlainConnection) throws(ErrandError) {
        let isShutDown = self.state.withLock { state in
            if !state.isShutDown {
                state.live.removeAll { $0.connection == nil }
                state.live.append(WeakConnection(connection: connection))
            }
            return state.isShutDown
        }
        guard !isShutDown || self.defect == .answersAfterShutdown else {
            throw ErrandError(.clientShutDown, "the transport was shut down")
        }
    }

    /// Takes a connection back that has served an exchange to its end.
    func giveBack(_ connection: PlainConnection, _ authority: String) {
        guard self.defect != .keepsNoConnection else { return }
        let key = self.defect == .mixesConnectionsUp ? "" : authority
        self.state.withLock { state in
            if !state.isShutDown { state.idle[key, default: []].append(connection) }
        }
    }
}
