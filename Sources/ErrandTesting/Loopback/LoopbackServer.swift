internal import Errand
internal import ErrandLocks

internal import class Foundation.Thread

/// A small HTTP/1.1 server on 127.0.0.1 that does to a client what a test tells it to.
///
///     let server = try LoopbackServer()
///     server.route("GET", "/users") { _ in .json(#"{"name":"Ann"}"#) }
///     server.route("GET", "/slow", .text("at last").held(by: gate))
///     …
///     server.stop()
///
/// It has one thread of its own, on which the handlers run. Any thread or task may call any of its members; none
/// blocks, and the ones that wait are asynchronous and leave early when their task is cancelled.
public final class LoopbackServer: Sendable {
    /// The port it listens on.
    public let port: UInt16

    let core: LoopbackCore

    /// Opens a server on a free port, ready for connections when this returns.
    ///
    /// - Parameters:
    ///   - routes: The first routes; more may be added at any time.
    ///   - options: Limits and habits.
    /// - Throws: `LoopbackError` when no socket could be opened.
    public init(routes: [LoopbackRoute] = [], options: LoopbackOptions = LoopbackOptions()) throws(LoopbackError) {
        let core = try LoopbackCore(options: options, routes: routes)
        let (listener, port) = try LoopbackSystem.openListener()
        self.core = core
        self.port = port
        let thread = Thread { Self.serve(core, listener) }
        thread.name = "loopback server \(port)"
        thread.start()
    }

    deinit {
        stop()
    }

    /// The address of the server's root, with a slash at its end.
    public var baseURL: String { "http://127.0.0.1:\(port)/" }

    // MARK: - Ending

    /// Closes the listening socket and every connection, and ends the thread; does nothing the second time.
    ///
    /// It returns at once, and the server's thread closes everything as soon as the handler it may be in has returned;
    /// `waitUntilStopped()` says when that has happened. Letting go of the server stops it too.
    public func stop() {
        core.mailbox.postStop()
    }

    /// Waits until the server has been stopped and everything it had open is closed.
    ///
    /// - Returns: `false` if the waiting task was cancelled first.
    @discardableResult
    public func waitUntilStopped() async -> Bool {
        await core.end.wait(for: 1)
    }

    private static func serve(_ core: LoopbackCore, _ listener: Int32) {
        do {
            var loop = LoopbackLoop(core: core, listener: listener)
            loop.run()
        }
        core.record.finish()
        core.end.advance()
    }

    // MARK: - Routing

    /// Answers a method and a path with what a handler makes, from the next request on.
    ///
    /// A route with the same method and pattern is replaced where it stands; any other goes behind all routes. The
    /// first route that is meant for a request answers it; a HEAD that has no route goes to the route for GET.
    ///
    /// - Parameters:
    ///   - method: The method, or `*` for every method.
    ///   - pattern: The path as it is on the wire; with `*` at its end, every path that begins with what is before.
    ///   - handler: Makes the reply, on the server's thread.
    public func route(_ method: String, _ pattern: String, handler: @escaping LoopbackRoute.Handler) {
        add(LoopbackRoute(method, pattern, handler: handler))
    }

    /// Answers a method and a path with the same reply each time, from the next request on.
    public func route(_ method: String, _ pattern: String, _ reply: LoopbackReply) {
        add(LoopbackRoute(method, pattern) { _ in reply })
    }

    /// Answers a method and a path as soon as the head of a request is there; see
    /// ``LoopbackRoute/early(_:_:handler:)``.
    public func earlyRoute(_ method: String, _ pattern: String, _ reply: LoopbackReply) {
        add(.early(method, pattern) { _ in reply })
    }

    /// Answers the requests that a predicate accepts with what a handler makes, behind all routes there are.
    public func route(where matches: @escaping LoopbackRoute.Predicate, handler: @escaping LoopbackRoute.Handler) {
        add(LoopbackRoute(where: matches, handler: handler))
    }

    /// Answers the requests that no route is meant for; at first they get a 404.
    public func fallback(_ handler: @escaping LoopbackRoute.Handler) {
        core.fallback.withLock { $0 = LoopbackRoute(where: { _ in true }, handler: handler) }
    }

    /// Puts other routes in place of all there are.
    public func replaceRoutes(with routes: [LoopbackRoute] = []) {
        core.routes.withLock { $0 = routes }
    }

    private func add(_ route: LoopbackRoute) {
        core.routes.withLock { routes in
            if let key = route.key, let place = routes.firstIndex(where: { $0.key == key }) {
                routes[place] = route
            } else {
                routes.append(route)
            }
        }
    }
}
