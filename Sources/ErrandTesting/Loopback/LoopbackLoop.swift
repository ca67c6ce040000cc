#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The event loop of a server, which runs on one thread that alone accesses its state.
///
/// Liveness: the loop sleeps in `poll` with every open socket, the mailbox and the earliest deadline, so bytes, an
/// opened gate, the stop and a timer each end the sleep. Handlers run here; one that blocks delays everything.
struct LoopbackLoop: ~Copyable {
    private static let mailboxSlot = 0
    private static let listenerSlot = 1
    private static let firstSlot = 2

    let core: LoopbackCore
    var timers = LoopbackTimers()
    var held: [ObjectIdentifier: [Int: LoopbackConnection]] = [:]
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    private let listener: Int32
    private var connections: [LoopbackConnection] = []
    private var polls: [pollfd]
    private var lastNumber = 0
    private var acceptsAgain: ContinuousClock.Instant?

    /// Takes ownership of a listening socket, which is closed with the loop.
    init(core: LoopbackCore, listener: Int32) {
        self.core = core
        self.listener = listener
        polls = [
            pollfd(fd: core.mailbox.readingEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        ]
    }

    deinit {
        LoopbackSystem.release(listener)
    }

    /// Serves until a stop is posted to the mailbox, then closes every connection.
    mutating func run() {
        var isRunning = true
        while isRunning {
            let ready = LoopbackSystem.wait(for: &polls, milliseconds: pollTimeout())
            if ready > 0 { serveSockets(ready) }
            fireTimers()
            if ready > 0, polls[Self.listenerSlot].revents != 0 { acceptConnections() }
            if ready > 0, polls[Self.mailboxSlot].revents != 0 { isRunning = readMailbox() }
        }
        while let connection = connections.last { close(connection) }
    }

    // MARK: - Events

    // Backwards, because closing a connection moves the last one, which was already served, into its slot.
    private mutating func serveSockets(_ ready: Int) {
        var missing = ready
        var slot = polls.count - 1
        while slot >= Self.firstSlot, missing > 0 {
            let events = polls[slot].revents
            if events != 0 {
                missing -= 1
                serve(connections[slot - Self.firstSlot], canRead: events & ~Int16(POLLOUT) != 0)
            }
            slot -= 1
        }
    }

    private mutating func fireTimers() {
        guard timers.earliest != nil || acceptsAgain != nil else { return }
        let now = ContinuousClock.now
        if let again = acceptsAgain, again <= now {
            acceptsAgain = nil
            polls[Self.listenerSlot].events = Int16(POLLIN)
        }
        while let connection = timers.removeDue(at: now) { timerFired(on: connection) }
    }

    private mutating func acceptConnections() {
        for _ in 0..<256 {
            switch LoopbackSystem.takeConnection(on: listener) {
            case .connection(let socket): open(socket)
            case .nobody: return
            case .exhausted:
                // Out of file descriptors. The waiting connection keeps the listener ready, so it is not polled for a
                // while.
                acceptsAgain = .now + .milliseconds(20)
                polls[Self.listenerSlot].events = 0
                return
            }
        }
    }

    private mutating func readMailbox() -> Bool {
        let posts = core.mailbox.take(using: &buffer)
        for gate in posts.openedGates {
            // The gate has already removed this loop, so there is no need to leave.
            let waiting = held.removeValue(forKey: ObjectIdentifier(gate)) ?? [:]
            for (_, connection) in waiting.sorted(by: { $0.key < $1.key }) { resume(connection) }
        }
        return !posts.stops
    }

    private func pollTimeout() -> Int32 {
        let deadlines = [timers.earliest, acceptsAgain].compactMap(\.self)
        guard let earliest = deadlines.min() else { return -1 }
        let parts = ContinuousClock.now.duration(to: earliest).components
        guard parts.seconds >= 0, parts.attoseconds >= 0 else { return 0 }
        guard parts.seconds < 60 else { return 60_000 }
        return Int32(parts.seconds) * 1000 + Int32((parts.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    // MARK: - Connections

    private mutating func open(_ socket: Int32) {
        lastNumber += 1
        let connection = LoopbackConnection(number: lastNumber, socket: socket, options: core.options)
        if core.options.isSilent { connection.phase = .stalled }
        connection.slot = connections.count
        connections.append(connection)
        polls.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0))
        core.record.acceptedConnections.advance()
    }

    /// Closes a connection in any phase and removes its state; does nothing if it is closed.
    mutating func close(_ connection: LoopbackConnection) {
        switch connection.phase {
        case .closed: return
        case .held(let gate): leave(gate, connection)
        case .receiving(let limit, let then):
            _ = then(LoopbackContent(bytes: connection.parser.bodySoFar.prefix(limit), isWhole: false))
        case .reading, .replying, .sending, .sleeping, .stalled, .resetting, .draining: break
        }
        connection.phase = .closed
        connection.timer = nil
        LoopbackSystem.release(connection.socket)
        let lastConnection = connections.removeLast()
        let lastPoll = polls.removeLast()
        if lastConnection !== connection {
            lastConnection.slot = connection.slot
            connections[connection.slot] = lastConnection
            polls[connection.slot + Self.firstSlot] = lastPoll
        }
        core.record.closedConnections.advance()
    }

    /// Sets the events for which `poll` watches a connection.
    mutating func updateInterest(of connection: LoopbackConnection) {
        if case .closed = connection.phase { return }
        let reading = connection.wantsToRead ? Int16(POLLIN) : 0
        let writing = connection.wantsToWrite ? Int16(POLLOUT) : 0
        polls[connection.slot + Self.firstSlot].events = reading | writing
    }

    private mutating func leave(_ gate: LoopbackGate, _ connection: LoopbackConnection) {
        let id = ObjectIdentifier(gate)
        held[id]?[connection.number] = nil
        guard held[id]?.isEmpty == true else { return }
        held[id] = nil
        gate.leave(core.mailbox)
    }
}
