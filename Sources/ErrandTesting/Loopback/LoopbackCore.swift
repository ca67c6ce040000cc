internal import Errand
internal import ErrandLocks

/// What a server's public face and its loop share.
final class LoopbackCore: Sendable {
    let options: LoopbackOptions
    let mailbox: LoopbackMailbox
    let record: LoopbackRecord
    /// Counts to one when the loop has closed everything.
    let end = LoopbackMilestone()
    let routes: Locked<[LoopbackRoute]>
    /// Answers what no route matches.
    ///
    /// A route, not a bare closure: reading that out of a lock wraps it each time.
    let fallback: Locked<LoopbackRoute>

    init(options: LoopbackOptions, routes: [LoopbackRoute]) throws(LoopbackError) {
        self.options = options
        self.routes = Locked(routes)
        fallback = Locked(LoopbackRoute(where: { _ in true }) { _ in .text("Not Found", status: 404) })
        record = LoopbackRecord(options: options)
        mailbox = try LoopbackMailbox()
    }

    /// Makes the reply to a request of which only the head is there, if its route is one for that.
    func earlyReply(to request: LoopbackRequest) -> LoopbackReply? {
        let routes = routes.withLock { $0 }
        guard let route = routes.first(where: { $0.matches(request) }), route.isEarly else { return nil }
        return route.handler(request)
    }

    /// Makes the reply to a request, with no lock held while a closure of the test runs.
    func reply(to request: LoopbackRequest) -> LoopbackReply {
        let routes = routes.withLock { $0 }
        let route = routes.first { $0.matches(request) } ?? substitute(for: request, among: routes)
        return (route ?? fallback.withLock { $0 }).handler(request)
    }

    /// The route for GET that answers a HEAD for which there is no route.
    private func substitute(for request: LoopbackRequest, among routes: [LoopbackRoute]) -> LoopbackRoute? {
        guard request.method == "HEAD" else { return nil }
        var request = request
        request.method = "GET"
        return routes.first { [request] in $0.key?.method == "GET" && $0.matches(request) }
    }
}
