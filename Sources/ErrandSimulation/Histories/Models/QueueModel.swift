/// A queue from which comes first what was put in first.
///
/// The results are optional so that `enqueue`, which returns nothing, has one: `nil`.
public struct QueueModel<Element: Hashable & Sendable>: LinearizableModel {
    /// What is asked of a queue.
    public enum Operation: Sendable, Hashable {
        /// Puts an element in; the result is `nil`.
        case enqueue(Element)
        /// Takes the first element out; the result is that, or `nil` if there is none.
        case dequeue
    }

    /// The elements before the first operation.
    public let initialState: [Element]

    /// Creates the model of a queue with some elements in it.
    public init(initialElements: [Element] = []) {
        self.initialState = initialElements
    }

    /// Makes an operation on the elements.
    public func step(_ operation: Operation, on state: inout [Element]) -> Element? {
        switch operation {
        case .enqueue(let element):
            state.append(element)
            return nil
        case .dequeue: return state.isEmpty ? nil : state.removeFirst()
        }
    }
}
