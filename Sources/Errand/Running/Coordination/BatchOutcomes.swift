internal import ErrandMachines

/// The outcomes of a streamed batch, made while they are read.
public struct BatchOutcomes<E: Endpoint>: AsyncSequence, Sendable {
    /// The order in which a streamed batch answers.
    public enum Order: Sendable, Hashable {
        /// As the calls were given; an early answer waits for the ones before it.
        case input
        /// As the calls end.
        case completion

        var machine: OutcomeQueue.Order {
            switch self {
            case .input: .input
            case .completion: .completion
            }
        }
    }

    /// What became of one call of a streamed batch.
    public struct Outcome: Sendable {
        /// The position of the call in the input, from 0.
        public let index: Int
        /// The call.
        public let endpoint: E
        /// The response, or why there is none.
        public let response: Result<TypedResponse<E.Response>, ErrandError>

        /// The value, or why there is none.
        public var result: Result<E.Response, ErrandError> { self.response.map(\.value) }
    }

    /// The outcome of one call.
    public typealias Element = Outcome
    /// Reading never fails: outcomes carry their errors.
    public typealias Failure = Never

    private let makeBatch: @Sendable () -> StreamedBatch<E>

    init(_ makeBatch: @escaping @Sendable () -> StreamedBatch<E>) {
        self.makeBatch = makeBatch
    }

    /// Makes a run; it starts when the first outcome is asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(lease: Lease(self.makeBatch()))
    }

    /// Reads outcomes one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let lease: Lease

        /// The next outcome, or `nil` when the run is over or the task is cancelled.
        public mutating func next() async -> Outcome? {
            await self.lease.batch.next()
        }

        /// The next outcome, or `nil` when the run is over or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Outcome? {
            await self.lease.batch.next()
        }
    }

    /// Cancels the run when nobody can read it any more.
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
