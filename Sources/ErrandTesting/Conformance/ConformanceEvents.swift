internal import Errand
internal import ErrandLocks

/// The events that a transport reports about one exchange, and the tasks that wait for them.
final class ConformanceEvents: Sendable {
    private let all = Locked<[ExchangeEvent]>([])
    private let heads = LoopbackMilestone()
    private let interims = LoopbackMilestone()
    private let pieces = LoopbackMilestone()

    /// Records an event.
    @Sendable func observe(_ event: ExchangeEvent) {
        self.all.withLock { $0.append(event) }
        switch event {
        case .responseHead: self.heads.advance()
        case .interimResponse: self.interims.advance()
        case .received(let progress) where progress.bytes > 0: self.pieces.advance()
        default: break
        }
    }

    /// Waits until a head is reported.
    func waitForHead() async { _ = await self.heads.wait(for: 1) }

    /// Waits until an interim response is reported.
    func waitForInterimResponse() async { _ = await self.interims.wait(for: 1) }

    /// Waits until a part of the body is reported.
    func waitForBody() async { _ = await self.pieces.wait(for: 1) }

    /// The reported heads, in order.
    var responseHeads: [HTTPResponse.Head] {
        self.all.withLock { $0 }.compactMap { if case .responseHead(let head) = $0 { head } else { nil } }
    }

    /// The reported interim responses, in order.
    var interimResponses: [HTTPResponse.Head] {
        self.all.withLock { $0 }.compactMap { if case .interimResponse(let head) = $0 { head } else { nil } }
    }

    /// The progress of the response body, in order.
    var received: [TransferProgress] {
        self.all.withLock { $0 }.compactMap { if case .received(let progress) = $0 { progress } else { nil } }
    }

    /// The progress of the request content, in order.
    var sent: [TransferProgress] {
        self.all.withLock { $0 }.compactMap { if case .sent(let progress) = $0 { progress } else { nil } }
    }

    /// True if a part of the body was reported before the head.
    var isBodyBeforeHead: Bool {
        for event in self.all.withLock({ $0 }) {
            switch event {
            case .responseHead: return false
            case .received: return true
            default: break
            }
        }
        return false
    }
}
