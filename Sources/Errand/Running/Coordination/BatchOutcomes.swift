internal import ErrandMachines

/// The outcomes of a streamed batch, produced while they are read.
public struct BatchOutcomes<E: Endpoint>: AsyncSequence, Sendable {
    /// The order in which a streamed batch delivers outcomes.
    public enum Order: Sendable, Hashable {
        /// In the order of the input.
        ///
        /// An early outcome waits for the ones before it.
        case input
        /// In the order of completion.
        case completion

        var machine: OutcomeQueue.Order {
            switch self {
            case .input: .input
            case .completion: .completion
            }
        }
    }

    /// The outcome of one call of a streamed batch.
    public struct Outcome: Sendable {
        /// The index of the call in the input, from 0.
        public let index: Int
        /// The call.
        public let endpoint: E
        /// The response, or the error.
        public let response: Result<TypedResponse<E.Response>, ErrandError>

        /// The value, or the error.
        public var result: Result<E.Response, ErrandError> { self.response.map(\.value) }
    }

    /// The outcome of one call.
    public typealias Element = Outcome
    /// Iteration never throws: outcomes contain their errors.
    public typealias Failure = Never

    private let makeBatch: @Sendable () -> StreamedBatch<E>

    init(_ makeBatch: @escaping @Sendable () -> StreamedBatch<E>) {
        self.makeBatch = makeBatch
    }

    /// Creates a run, which starts when the first outcome is requested.
    public func makeAsyncIterator() -> Iterator {
        Iterator(lease: Lease(self.makeBatch()))
    }

    /// Reads outcomes one by one.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let lease: Lease

        /// Returns the next outcome, or `nil` when the run is over or the task is cancelled.
        public mutating func next() async -> Outcome? {
            await self.lease.batch.next()
        }

        /// Returns the next outcome, or `nil` when the run is over or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Outcome? {
            await self.lease.batch.next()
        }
    }

    /// Cancels the run when its last reader is released.
    fileprivate final class Lease: Sendable {
        let batch: StreamedBatch<E>

        init(_ batch: StreamedBatch<E>) {
            self.batch = batch
        }

        deinit {
            self.batch.abandon()
        }
    }
}
