internal import ErrandLocks
internal import ErrandMachines

internal import struct Foundation.Data

/// The resources of an attempt whose body is still being received: its stream, slot, and deadlines.
///
/// The lease ends with the request, or when its stream is released because an interceptor continues without it or a
/// redirection is followed. The exchange is then cancelled, and the slot and the deadlines are released.
final class BodyLease: Sendable {
    private let stream: Locked<BodyStream?>
    private let ticket: AdmissionMachine.Ticket
    private let deadlines: Deadlines?
    private let environment: RequestEnvironment
    private let count = AtomicCounter()

    /// The number of bytes read so far.
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

    /// The stream as passed to readers.
    ///
    /// It retains the lease.
    var body: BodyStream {
        BodyStream(isRepeatable: false) {
            var iterator = self.stream.withLock { $0 }?.makeAsyncIterator()
            return { () async throws(ErrandError) -> Data? in
                guard iterator != nil, self.isOpen else {
                    throw .cancelled("the response body cannot be read after its request has ended or was sent again")
                }
                // Data that has arrived already must not keep a stopped reader busy.
                guard !Task.isCancelled else { throw .cancelled() }
                self.deadlines?.resume()
                defer { self.deadlines?.pause() }
                let chunk = try await iterator?.next()
                self.count.add(UInt64(chunk?.count ?? 0))
                return chunk
            }
        }
    }

    /// Ends the lease and releases its slot.
    func end() {
        if self.close() { self.environment.admission.leave(self.ticket) }
    }

    private var isOpen: Bool { self.stream.withLock { $0 != nil } }

    /// Releases the stream and the deadlines; returns true if this was the first call.
    private func close() -> Bool {
        guard let stream = self.stream.withLock({ $0.take() }) else { return false }
        self.deadlines?.clear()
        // A reader that escaped may still hold the stream, so that releasing it here is not sufficient.
        stream.cancel?()
        return true
    }
}
