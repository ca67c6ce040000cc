internal import Errand
internal import ErrandLocks

/// The state that a server and its loop share.
final class LoopbackCore: Sendable {
    let options: LoopbackOptions
    let mailbox: LoopbackMailbox
    let record: LoopbackRecord
    /// Advances to one when the loop has closed everything.
    let end = LoopbackMilestone()
    let routes: Locked<RouteTable<LoopbackRequest, LoopbackReply>>
    /// The route for requests that match no other, instead of a 404.
    ///
    /// A route rather than a closure, since reading a closure out of a lock wraps it each time.
    let fallback = Locked<LoopbackRoute?>(nil)

    init(options: LoopbackOptions, routes: [LoopbackRoute]) throws(LoopbackError) {
        self.options = options
        self.routes = Locked(RouteTable(routes))
        record = LoopbackRecord(options: options)
        mailbox = try LoopbackMailbox()
    }

    /// Returns the reply to a request of which only the head has arrived, if its route allows that.
    func earlyReply(to request: LoopbackRequest) -> LoopbackReply? {
        guard let route = routes.withLock({ $0 }).route(for: request), route.isEarly else { return nil }
        return route.reply(to: request)
    }

    /// Returns the reply to a request; no lock is held while a closure of the test runs.
    func reply(to request: LoopbackRequest) -> LoopbackReply {
        let routes = routes.withLock { $0 }
        if let route = routes.route(for: request) ?? fallback.withLock({ $0 }) { return route.reply(to: request) }
        guard !routes.isEmpty else { return .text("Not Found", status: 404) }
        return .text("Not Found: no route for \(request.method) \(request.path); \(routes.summary)", status: 404)
    }
}
