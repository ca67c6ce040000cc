internal import ErrandLocks
internal import ErrandMachines

internal import struct Foundation.Data

/// What belongs to an attempt whose body is still on its way: its stream, its slot and its deadlines.
///
/// It ends with the request, or when nobody holds its stream any more, because an interceptor goes on without it or a
/// redirection leads elsewhere. Then the exchange is cancelled, and slot and deadlines are given back.
final class BodyLease: Sendable {
    private let stream: Locked<BodyStream?>
    private let ticket: AdmissionMachine.Ticket
    private let deadlines: Deadlines?
    private let environment: RequestEnvironment
    private let count = AtomicCounter()

    /// How much was read until now.
    var bytesRead: Int { Int(clamping: self.count.value) }

    init(
        _ stream: BodyStream, _ ticket: AdmissionMachine.Ticket, _ deadlines: Deadlines?,
        _ environment: RequestEnvironment
    ) {
        self.stream = Locked(stream)
        self.ticket = ticket
        self.deadlines = deadlines
        self.environment = environment
        deadlines?.pause()
    }

    deinit {
        self.end()
    }

    /// The stream as others get it; it keeps this.
    var body: BodyStream {
        BodyStream(isRepeatable: false) {
            var iterator = self.stream.withLock { $0 }?.makeAsyncIterator()
            return { () async throws(ErrandError) -> Data? in
                guard iterator != nil, self.isOpen else {
                    throw .cancelled("the body of a response cannot be read when its request is over or was sent again")
                }
                // What has come already must not keep a reader busy that was told to stop.
                guard !Task.isCancelled else { throw .cancelled() }
                self.deadlines?.resume()
                defer { self.deadlines?.pause() }
                let chunk = try await iterator?.next()
                self.count.add(UInt64(chunk?.count ?? 0))
                return chunk
            }
        }
    }

    /// Ends it, and gives its slot back.
    func end() {
        if self.close() { self.environment.admission.leave(self.ticket) }
    }

    private var isOpen: Bool { self.stream.withLock { $0 != nil } }

    /// Lets go of the stream and the deadlines; returns whether this was the first call.
    private func close() -> Bool {
        guard let stream = self.stream.withLock({ $0.take() }) else { return false }
        self.deadlines?.clear()
        // A reader that escaped may still hold the stream: letting go of it here would not do.
        stream.cancel?()
        return true
    }
}
