extension ExchangeMetrics {
    /// Where the time of a piece of work went, measured with the client's clock.
    public struct Timings: Sendable, Hashable {
        /// Waiting for a slot, over all attempts.
        public var queue: Duration
        /// From the start to the response or error.
        public var total: Duration

        /// Creates timings.
        public init(queue: Duration = .zero, total: Duration = .zero) {
            self.queue = queue
            self.total = total
        }
    }
}
