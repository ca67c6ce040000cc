internal import ErrandLocks
internal import TestEffort
internal import Testing

@testable internal import Errand

/// Networks that a test sets, as the interface of a system reports them.
private final class ScriptedNetworks: NetworkSource {
    private struct State {
        var path = NetworkPath.none
        var action: (@Sendable () -> Void)?
        var observations = 0
    }

    private let state = Locked(State())
    private let isObservable: Bool

    init(isObservable: Bool = true) {
        self.isObservable = isObservable
    }

    var path: NetworkPath { self.state.withLock { $0.path } }
    /// The number of observations so far, and whether one is open.
    var observations: Int { self.state.withLock { $0.observations } }
    var isObserved: Bool { self.state.withLock { $0.action != nil } }

    func observe(_ action: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        guard self.isObservable else { return nil }
        self.state.withLock { state in
            state.action = action
            state.observations += 1
        }
        return { self.state.withLock { $0.action = nil } }
    }

    func set(_ interfaces: NetworkPath.Interface...) {
        let action = self.state.withLock { state in
            state.path = NetworkPath(interfaces: Set(interfaces))
            return state.action
        }
        action?()
    }
}

@Suite("The system's networks, read by many", .timeLimit(.minutes(60)), .paced)
struct SystemMonitorTests {
    @Test func `a reader gets the networks of now, then each change, and no repetition`() async {
        let networks = ScriptedNetworks()
        var reader = NetworkPath.SystemMonitor(networks).changes.makeAsyncIterator()
        #expect(await reader.next() == NetworkPath.none)
        networks.set(.wifi)
        #expect(await reader.next()?.interfaces == [.wifi])
        networks.set(.wifi)
        networks.set(.cellular)
        #expect(await reader.next()?.interfaces == [.cellular])
    }

    @Test func `a slow reader gets the latest networks only`() async {
        let networks = ScriptedNetworks()
        var reader = NetworkPath.SystemMonitor(networks).changes.makeAsyncIterator()
        networks.set(.wifi)
        networks.set(.wired)
        #expect(await reader.next()?.interfaces == [.wired])
    }

    @Test func `all readers share an observation, which ends with the last of them`() async {
        let networks = ScriptedNetworks()
        let monitor = NetworkPath.SystemMonitor(networks)
        var first: AsyncStream<NetworkPath>? = monitor.changes
        var second: AsyncStream<NetworkPath>? = monitor.changes
        #expect(networks.observations == 1)
        #expect(first != nil)
        first = nil
        #expect(networks.isObserved)
        #expect(second != nil)
        second = nil
        #expect(!networks.isObserved)
        networks.set(.wired)
        for await path in monitor.changes {
            #expect(path.interfaces == [.wired])
            break
        }
        #expect(networks.observations == 2)
    }

    @Test func `a change that a second reader finds first reaches the other readers too`() async {
        let networks = ScriptedNetworks()
        let monitor = NetworkPath.SystemMonitor(networks)
        var reader = monitor.changes.makeAsyncIterator()
        #expect(await reader.next() == NetworkPath.none)
        let later = monitor.changes
        networks.set(.wifi)
        for await path in later {
            #expect(path.interfaces == [.wifi])
            break
        }
        #expect(await reader.next()?.interfaces == [.wifi])
    }

    @Test func `a system that cannot report changes gives the networks of now, and the end`() async {
        let networks = ScriptedNetworks(isObservable: false)
        networks.set(.wifi)
        var reader = NetworkPath.SystemMonitor(networks).changes.makeAsyncIterator()
        #expect(await reader.next()?.interfaces == [.wifi])
        #expect(await reader.next() == nil)
    }
}
