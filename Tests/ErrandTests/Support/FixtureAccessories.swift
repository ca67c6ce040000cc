internal import Errand

/// An accessory made of closures that may wait.
struct FixtureHooks: AsyncAccessory {
    var willStart: @Sendable (RequestActivity) async -> Void = { _ in }
    var didStart: @Sendable (RequestActivity) async -> Void = { _ in }
    var willStop: @Sendable (RequestActivity, RequestActivity.End) async -> Void = { _, _ in }
    var didStop: @Sendable (RequestActivity, RequestActivity.End) async -> Void = { _, _ in }
    var observe: @Sendable (RequestActivity.Event, RequestActivity) -> Void = { _, _ in }

    func willStart(_ activity: RequestActivity) async { await self.willStart(activity) }
    func didStart(_ activity: RequestActivity) async { await self.didStart(activity) }
    func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) async { await self.willStop(activity, end) }
    func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) async { await self.didStop(activity, end) }
    func observe(_ event: RequestActivity.Event, of activity: RequestActivity) { self.observe(event, activity) }
}

extension FixtureHooks {
    /// Writes the name of each hook, with a name in front of it.
    static func logging(_ name: String, to log: FixtureLog) -> FixtureHooks {
        FixtureHooks(
            willStart: { _ in log.add("\(name) willStart") }, didStart: { _ in log.add("\(name) didStart") },
            willStop: { _, _ in log.add("\(name) willStop") }, didStop: { _, _ in log.add("\(name) didStop") })
    }

    /// Waits in one of the hooks.
    static func holding(_ hook: FixtureHook, at gate: FixtureGate, isPatient: Bool = false) -> FixtureHooks {
        var hooks = FixtureHooks()
        switch hook {
        case .willStart: hooks.willStart = { _ in await gate.pass(isPatient: isPatient) }
        case .didStart: hooks.didStart = { _ in await gate.pass(isPatient: isPatient) }
        case .willStop: hooks.willStop = { _, _ in await gate.pass(isPatient: isPatient) }
        case .didStop: hooks.didStop = { _, _ in await gate.pass(isPatient: isPatient) }
        }
        return hooks
    }
}

/// The four hooks.
enum FixtureHook: String, CaseIterable, Sendable {
    case willStart, didStart, willStop, didStop

    /// All of them by name, in order.
    static let names = Self.allCases.map(\.rawValue)
}

/// An interceptor made of a closure.
struct FixtureInterceptor: Interceptor {
    let body: @Sendable (HTTPRequest, InterceptorContext, InterceptorNext) async throws -> HTTPResponse

    init(_ body: @escaping @Sendable (HTTPRequest, InterceptorContext, InterceptorNext) async throws -> HTTPResponse) {
        self.body = body
    }

    func intercept(
        _ request: HTTPRequest, context: InterceptorContext, next: InterceptorNext
    ) async throws -> HTTPResponse {
        try await self.body(request, context, next)
    }
}
