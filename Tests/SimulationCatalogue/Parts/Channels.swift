/// A channel of numbers with a bounded buffer, as in Go; a channel of capacity 0 hands each number over directly.
struct Channel: Sendable {
    let name: String
    let capacity: Int
    let channels: Channels

    /// Waits until the number is buffered or received; throws if the channel is or gets closed.
    func send(_ number: Int = 1) async throws {
        _ = try await self.channels.select([.send(self, number)])
    }

    /// Sends if that is possible without waiting, and returns whether it was.
    func trySend(_ number: Int = 1) async throws -> Bool {
        try await self.channels.trySelect([.send(self, number)]) != nil
    }

    /// Waits for a number; returns `nil` once the channel is closed and empty.
    @discardableResult
    func receive() async throws -> Int? {
        guard case .received(_, let number) = try await self.channels.select([.receive(self)]) else { return nil }
        return number
    }

    /// Receives if that is possible without waiting; returns `nil` if it is not.
    func tryReceive() async throws -> Channels.Choice? {
        try await self.channels.trySelect([.receive(self)])
    }

    /// Closes the channel; throws if it is closed already.
    func close() async throws {
        try await self.channels.close(self)
    }
}

/// A number of channels between which a task can select.
actor Channels {
    enum Case: Sendable {
        case send(Channel, Int)
        case receive(Channel)
    }

    enum Choice: Sendable, Equatable {
        case sent(String)
        case received(String, Int?)

        /// The name of the chosen channel.
        var name: String {
            switch self {
            case .sent(let name), .received(let name, _): name
            }
        }
    }

    private typealias Continuation = CheckedContinuation<Choice, any Error>

    private var buffers: [String: [Int]] = [:]
    private var closed: Set<String> = []
    private var waiting: [(cases: [Case], continuation: Continuation)] = []

    /// Returns the channel of a name; channels of one name are the same.
    nonisolated func channel(_ name: String, capacity: Int = 0) -> Channel {
        Channel(name: name, capacity: capacity, channels: self)
    }

    /// Waits until one of the cases is possible, and performs the first that is.
    func select(_ cases: [Case]) async throws -> Choice {
        if let choice = try self.trySelect(cases) { return choice }
        return try await withCheckedThrowingContinuation { self.waiting.append((cases, $0)) }
    }

    /// Performs the first case that is possible without waiting, or returns `nil`.
    func trySelect(_ cases: [Case]) throws -> Choice? {
        for item in cases {
            switch item {
            case .send(let channel, let number):
                if try self.trySend(number, to: channel) { return .sent(channel.name) }
            case .receive(let channel):
                if let number = self.tryReceive(from: channel) { return .received(channel.name, number) }
                if self.closed.contains(channel.name) { return .received(channel.name, nil) }
            }
        }
        return nil
    }

    func close(_ channel: Channel) throws {
        guard self.closed.insert(channel.name).inserted else {
            throw InvariantViolation(description: "close of a closed channel: \(channel.name)")
        }
        while let receiver = self.takeReceiver(of: channel.name) {
            receiver.resume(returning: .received(channel.name, nil))
        }
        while let sender = self.takeSender(to: channel.name) {
            sender.continuation.resume(throwing: Self.sendOnClosed(channel.name))
        }
    }

    // MARK: - Private helpers

    private static func sendOnClosed(_ name: String) -> InvariantViolation {
        InvariantViolation(description: "send on a closed channel: \(name)")
    }

    private func trySend(_ number: Int, to channel: Channel) throws -> Bool {
        if self.closed.contains(channel.name) { throw Self.sendOnClosed(channel.name) }
        if let receiver = self.takeReceiver(of: channel.name) {
            receiver.resume(returning: .received(channel.name, number))
            return true
        }
        guard self.buffers[channel.name, default: []].count < channel.capacity else { return false }
        self.buffers[channel.name, default: []].append(number)
        return true
    }

    private func tryReceive(from channel: Channel) -> Int? {
        let sender = self.takeSender(to: channel.name)
        sender?.continuation.resume(returning: .sent(channel.name))
        if let sender { self.buffers[channel.name, default: []].append(sender.number) }
        guard self.buffers[channel.name]?.isEmpty == false else { return nil }
        return self.buffers[channel.name]?.removeFirst()
    }

    private func takeReceiver(of name: String) -> Continuation? {
        let index = self.waiting.firstIndex { waiter in
            waiter.cases.contains { if case .receive(let channel) = $0 { channel.name == name } else { false } }
        }
        return index.map { self.waiting.remove(at: $0).continuation }
    }

    private func takeSender(to name: String) -> (number: Int, continuation: Continuation)? {
        for (index, waiter) in self.waiting.enumerated() {
            for case .send(let channel, let number) in waiter.cases where channel.name == name {
                self.waiting.remove(at: index)
                return (number, waiter.continuation)
            }
        }
        return nil
    }
}
