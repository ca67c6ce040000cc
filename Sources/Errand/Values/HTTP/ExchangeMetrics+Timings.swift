extension ExchangeMetrics {
    /// The timings of a request, batch or chain, measured with the client's clock.
    public struct Timings: Sendable, Hashable {
        /// The time spent waiting for slots, over all attempts.
        public var queue: Duration
        /// The time from the start to the response or error.
        public var total: Duration

        /// Creates timings.
        public init(queue: Duration = .zero, total: Duration = .zero) {
            self.queue = queue
            self.total = total
        }
    }
}
