/// A first-in, first-out queue.
///
/// The results are optional, so that `enqueue`, which has no result, returns `nil`.
public struct QueueModel<Element: Hashable & Sendable>: LinearizableModel {
    /// The operations of a queue.
    public enum Operation: Sendable, Hashable {
        /// Appends an element; the result is `nil`.
        case enqueue(Element)
        /// Removes the first element; the result is the element, or `nil` if the queue is empty.
        case dequeue
    }

    /// The elements before the first operation.
    public let initialState: [Element]

    /// Creates the model of a queue with some elements in it.
    public init(initialElements: [Element] = []) {
        self.initialState = initialElements
    }

    /// Performs an operation on the elements.
    public func step(_ operation: Operation, on state: inout [Element]) -> Element? {
        switch operation {
        case .enqueue(let element):
            state.append(element)
            return nil
        case .dequeue: return state.isEmpty ? nil : state.removeFirst()
        }
    }
}
