internal import Dispatch
internal import Errand

/// The lines of the standard input for asynchronous code; each is read on demand.
struct InputLines: Sendable {
    let read: @Sendable () -> String?

    private let queue = DispatchQueue(label: "errand input")

    init(_ read: @escaping @Sendable () -> String?) {
        self.read = read
    }

    /// Returns the next line, or `nil` at the end and when the waiting task is cancelled.
    ///
    /// It is woken by the queue at a line, the end or an error; a line that arrives after the task was cancelled is
    /// dropped.
    func next() async -> String? {
        let waiter = Waiter<String?>()
        self.queue.async { waiter.resume(self.read()) }
        return await waiter.wait() ?? nil
    }
}
