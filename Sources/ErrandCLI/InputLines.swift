internal import Dispatch
internal import Errand

/// The lines of the standard input for code that must not block: each is read when it is asked for.
struct InputLines: Sendable {
    let read: @Sendable () -> String?

    private let queue = DispatchQueue(label: "errand input")

    init(_ read: @escaping @Sendable () -> String?) {
        self.read = read
    }

    /// The next line, or `nil` at the end and when the waiting task is cancelled.
    ///
    /// It is woken by the queue when there is a line, an end or an error; a line that comes after the task was cancelled
    /// is dropped.
    func next() async -> String? {
        let waiter = Waiter<String?>()
        self.queue.async { waiter.resume(self.read()) }
        return await waiter.wait() ?? nil
    }
}
