internal import struct Foundation.Data

// Carrying out replies. Each entry point leaves the connection waiting for an event, with `poll` set accordingly.
extension LoopbackLoop {
    /// The number of bytes that one connection may send before other connections are served.
    private static let turnSize = 1 << 20
    private static let longestWait = Duration.seconds(10 * 365 * 86_400)
    private static let drainTime = Duration.seconds(2)
    private static let resetTime = Duration.seconds(1)

    // MARK: - Entry points

    /// Continues with a connection whose socket is ready.
    mutating func serve(_ connection: LoopbackConnection, canRead: Bool) {
        if canRead { receive(on: connection) }
        advance(connection)
        updateInterest(of: connection)
    }

    /// Continues with a connection whose gate was opened.
    mutating func resume(_ connection: LoopbackConnection) {
        connection.phase = .replying
        advance(connection)
        updateInterest(of: connection)
    }

    /// Continues with a connection whose timer has fired.
    mutating func timerFired(on connection: LoopbackConnection) {
        switch connection.phase {
        case .sleeping: resume(connection)
        case .resetting(let deadline): reset(connection, deadline: deadline)
        case .draining: close(connection)
        case .reading, .replying, .sending, .held, .receiving, .stalled, .closed: break
        }
    }

    // MARK: - Steps

    private mutating func receive(on connection: LoopbackConnection) {
        switch LoopbackSystem.receive(from: connection.socket, into: &buffer) {
        case .bytes(let count):
            core.record.noteReceived(count)
            connection.parser.append(buffer[..<count])
        case .nothingYet: break
        case .ended: close(connection)
        }
    }

    /// Performs actions until the connection has to wait.
    private mutating func advance(_ connection: LoopbackConnection) {
        while true {
            switch connection.phase {
            case .reading:
                guard read(connection) else { return }
            case .replying: perform(connection.script.next(), on: connection)
            case .sending(let data, let sent):
                guard send(data, from: sent, on: connection) else { return }
            case .receiving(let limit, let then):
                guard receive(limit, then, on: connection) else { return }
            case .sleeping, .held, .stalled, .resetting, .draining, .closed: return
            }
        }
    }

    /// Begins a reply to a received request; returns `false` if more bytes are needed.
    private mutating func read(_ connection: LoopbackConnection) -> Bool {
        switch connection.parser.next() {
        case .needsBytes:
            guard answerEarly(connection) else { return false }
        case .expectsContinue:
            if !answerEarly(connection) { connection.script = LoopbackScript(interimStatus: 100) }
        case .request(let request):
            core.record.note(request)
            if connection.isAnsweredEarly {
                connection.isAnsweredEarly = false
                return true
            }
            connection.body = request.body
            connection.script = LoopbackScript(core.reply(to: request), to: request)
        case .refused(let status):
            connection.isRefused = true
            connection.script = LoopbackScript(refusal: status)
        }
        connection.phase = .replying
        return true
    }

    /// Begins the reply to a request of which only the head has arrived, if its route allows that; returns `true` if
    /// so.
    private func answerEarly(_ connection: LoopbackConnection) -> Bool {
        guard let head = connection.parser.takeHead(), let reply = core.earlyReply(to: head) else { return false }
        connection.isAnsweredEarly = true
        connection.body = nil
        connection.script = LoopbackScript(reply, to: head)
        return true
    }

    /// Reads the body of the request that is being answered; returns `false` if more bytes are needed.
    private mutating func receive(
        _ limit: Int, _ then: (LoopbackContent) -> [LoopbackReply.Step], on connection: LoopbackConnection
    ) -> Bool {
        if connection.body == nil {
            switch connection.parser.next() {
            case .needsBytes, .expectsContinue: break
            case .request(let request):
                core.record.note(request)
                connection.isAnsweredEarly = false
                connection.body = request.body
            case .refused(let status):
                connection.isRefused = true
                connection.script = LoopbackScript(refusal: status)
                connection.phase = .replying
                return true
            }
        }
        let bytes = connection.body ?? connection.parser.bodySoFar
        guard connection.body != nil || bytes.count >= limit else { return false }
        let isWhole = connection.body != nil && bytes.count <= limit
        connection.script.insert(then(LoopbackContent(bytes: bytes.prefix(limit), isWhole: isWhole)))
        connection.phase = .replying
        return true
    }

    private mutating func perform(_ action: LoopbackScript.Action, on connection: LoopbackConnection) {
        switch action {
        case .send(let data): connection.phase = .sending(data, sent: 0)
        case .sleep(let duration):
            guard duration > .zero else { return }
            connection.phase = .sleeping
            timers.set(.now + min(duration, Self.longestWait), for: connection)
        case .hold(let gate): hold(connection, on: gate)
        case .reset: reset(connection, deadline: .now + Self.resetTime)
        case .close: close(connection)
        case .hangUp: drain(connection)
        case .receive(let limit, let then): connection.phase = .receiving(limit: limit, then: then)
        case .stall: connection.phase = .stalled
        case .finished(closes: true): end(connection)
        case .finished(closes: false): connection.phase = .reading
        }
    }

    private mutating func hold(_ connection: LoopbackConnection, on gate: LoopbackGate) {
        guard !gate.arrive(core.mailbox) else { return }
        connection.phase = .held(gate)
        held[ObjectIdentifier(gate), default: [:]][connection.number] = connection
    }

    /// Sends bytes; returns `false` if the socket is full for now, or other connections must be served.
    private mutating func send(_ data: Data, from start: Int, on connection: LoopbackConnection) -> Bool {
        var sent = start
        while sent < data.count {
            switch LoopbackSystem.transmit(data, skipping: sent, to: connection.socket) {
            case .bytes(let count):
                sent += count
                core.record.noteSent(count)
            case .full:
                connection.phase = .sending(data, sent: sent)
                return false
            case .gone:
                close(connection)
                return false
            }
            if sent < data.count, sent - start >= Self.turnSize {
                connection.phase = .sending(data, sent: sent)
                return false
            }
        }
        connection.phase = .replying
        return true
    }

    /// Closes a connection so that the client can read the whole reply.
    ///
    /// Closing while bytes are unread would reset the connection, and the client might lose the reply.
    private mutating func end(_ connection: LoopbackConnection) {
        guard connection.isRefused || connection.isAnsweredEarly else { return close(connection) }
        drain(connection)
    }

    /// Stops sending, and discards all further bytes.
    private mutating func drain(_ connection: LoopbackConnection) {
        connection.parser.stop()
        LoopbackSystem.endSending(on: connection.socket)
        connection.phase = .draining
        timers.set(.now + Self.drainTime, for: connection)
    }

    /// Resets a connection as soon as all of its output has left this system.
    private mutating func reset(_ connection: LoopbackConnection, deadline: ContinuousClock.Instant) {
        if LoopbackSystem.unsentBytes(of: connection.socket) > 0, ContinuousClock.now < deadline {
            connection.phase = .resetting(deadline: deadline)
            timers.set(.now + .milliseconds(1), for: connection)
        } else {
            LoopbackSystem.resetOnClose(connection.socket)
            close(connection)
        }
    }
}
