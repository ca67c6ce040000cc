internal import Errand
internal import Foundation

/// Sends one queue, in order, one request at a time, while no other process does.
final class QueueSender: Sendable {
    let wakeup = Wakeup()
    private let queue: String
    private let core: OutboxCore

    /// The interval after which a queue that another process sends is checked again, in case that process has died.
    static let patience = Duration.seconds(30)
    private static let longestServerDelay = Duration.seconds(60 * 60)

    init(_ queue: String, _ core: OutboxCore) {
        self.queue = queue
        self.core = core
    }

    /// Runs until the task is cancelled or the client was shut down.
    func run() async {
        while !Task.isCancelled, !self.core.client.environment.isClosed {
            var limit: Duration?
            do throws(ErrandError) {
                // If another sender has the lock, it also sends what was added here: it checks the queue once more
                // after it has released the lock.
                if try await self.sendIfFree() { continue }
                limit = try await self.core.requests(of: self.queue).isEmpty ? nil : Self.patience
            } catch {
                self.core.report(.problem(queue: self.queue, error))
                limit = Self.patience
            }
            await self.wakeup.wait(for: .added, atMost: limit, self.core.client)
        }
    }

    /// Sends the requests in the queue; returns `true` if there may be more by now.
    private func sendIfFree() async throws(ErrandError) -> Bool {
        guard try await !self.core.requests(of: self.queue).isEmpty,
            let lock = try await self.core.lockSending(self.queue)
        else { return false }
        defer { lock.unlock() }
        while let name = try await self.core.requests(of: self.queue).first {
            guard !Task.isCancelled, try await self.send(name) else { return false }
        }
        return true
    }

    /// Sends one request until it ends, and removes it; returns `true` once it has ended.
    private func send(_ name: StoredName) async throws(ErrandError) -> Bool {
        guard let request = try await self.core.request(name, of: self.queue) else { return true }
        let item = request.item(in: self.queue)
        var delays = self.core.options.backoff.delays(using: SystemRandomNumberGenerator()).makeIterator()
        var attempt = 0
        while !Task.isCancelled, !self.core.client.environment.isClosed {
            // It may have been removed while it waited.
            guard try await self.core.requests(of: self.queue).contains(name) else { return true }
            if let end = self.endByAge(of: item) { return try await self.end(item, name, end) }
            attempt += 1
            self.core.report(.sending(item, attempt: attempt))
            switch await self.core.send(request, name, of: self.queue) {
            case .success(let response): return try await self.end(item, name, .sent(response))
            case .failure(let error):
                if Task.isCancelled || self.core.client.environment.isClosed { return false }
                if self.core.options.isPermanent(error) { return try await self.end(item, name, .failed(error)) }
                let left = self.core.options.maximumAge - .seconds(clamping: self.age(of: item))
                let pause = min(max(delays.next() ?? .zero, self.serverDelay(in: error)), max(left, .zero))
                self.core.report(.waiting(item, error, pause))
                await self.wakeup.wait(for: .retry, atMost: pause, self.core.client)
            }
        }
        return false
    }

    /// The delay that the server asks for.
    private func serverDelay(in error: ErrandError) -> Duration {
        guard let status = error.context.status, let headers = error.context.headers else { return .zero }
        let asked = HTTPResponse.Head(status: status, headers: headers)
            .retryAfter(at: self.core.client.environment.date())
        return min(asked ?? .zero, Self.longestServerDelay)
    }

    private func endByAge(of item: OutboxItem) -> OutboxEnd? {
        self.age(of: item) >= self.core.options.maximumAge / .seconds(1) ? .expired : nil
    }

    private func age(of item: OutboxItem) -> Double {
        self.core.client.environment.date().timeIntervalSince(item.addedAt)
    }

    /// Reports the end, and removes the request once that is done.
    private func end(_ item: OutboxItem, _ name: StoredName, _ end: OutboxEnd) async throws(ErrandError) -> Bool {
        // A request that was removed while it was sent has no end to report. If the folder cannot be read, assume it is
        // there.
        if let names = try? await self.core.requests(of: self.queue), !names.contains(name) { return true }
        await self.core.end(item, end)
        while true {
            do throws(ErrandError) {
                try await self.core.remove(name, of: self.queue)
                return true
            } catch {
                // The request has ended, and this process does not send it again.
                self.core.report(.problem(queue: self.queue, error))
                guard !Task.isCancelled else { return false }
                await self.wakeup.wait(for: .retry, atMost: Self.patience, self.core.client)
                guard !Task.isCancelled else { return false }
            }
        }
    }
}
