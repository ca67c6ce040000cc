internal import Errand
internal import ErrandLocks

/// What a server's public face and its loop share.
final class LoopbackCore: Sendable {
    let options: LoopbackOptions
    let mailbox: LoopbackMailbox
    let record: LoopbackRecord
    /// Counts to one when the loop has closed everything.
    let end = LoopbackMilestone()
    let routes: Locked<RouteTable<LoopbackRequest, LoopbackReply>>
    /// Answers what no route is for, in place of a 404.
    ///
    /// A route, not a bare closure: reading that out of a lock wraps it each time.
    let fallback = Locked<LoopbackRoute?>(nil)

    init(options: LoopbackOptions, routes: [LoopbackRoute]) throws(LoopbackError) {
        self.options = options
        self.routes = Locked(RouteTable(routes))
        record = LoopbackRecord(options: options)
        mailbox = try LoopbackMailbox()
    }

    /// Makes the reply to a request of which only the head is there, if its route is one for that.
    func earlyReply(to request: LoopbackRequest) -> LoopbackReply? {
        guard let route = routes.withLock({ $0 }).route(for: request), route.isEarly else { return nil }
        return route.reply(to: request)
    }

    /// Makes the reply to a request, with no lock held while a closure of the test runs.
    func reply(to request: LoopbackRequest) -> LoopbackReply {
        let routes = routes.withLock { $0 }
        if let route = routes.route(for: request) ?? fallback.withLock({ $0 }) { return route.reply(to: request) }
        guard !routes.isEmpty else { return .text("Not Found", status: 404) }
        return .text("Not Found: no route for \(request.method) \(request.path); \(routes.summary)", status: 404)
    }
}
