/// What an object does when its operations come one at a time: the specification for a linearizability check.
///
/// A model is deterministic: an operation in a state has one result and one next state. It looks at nothing but the
/// state, and is asked many times about the same operation, in any order.
///
/// ```swift
/// struct StackModel: LinearizableModel {
///     enum Operation { case push(Int), pop }
///
///     let initialState: [Int] = []
///
///     func step(_ operation: Operation, on state: inout [Int]) -> Int? {
///         switch operation {
///         case .push(let number):
///             state.append(number)
///             return nil
///         case .pop: return state.popLast()
///         }
///     }
/// }
/// ```
///
/// For the usual objects there are `RegisterModel`, `CounterModel`, `QueueModel`, `DictionaryModel` and `CacheModel`.
public protocol LinearizableModel<Operation, Result>: Sendable {
    /// What is asked of the object, with its arguments.
    associatedtype Operation: Sendable

    /// What the object returns.
    associatedtype Result: Sendable, Equatable

    /// All that later results depend on.
    associatedtype State: Sendable, Hashable

    /// The state before the first operation.
    var initialState: State { get }

    /// Makes an operation on a state.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - state: The state before, which becomes the state after.
    /// - Returns: What the object must return.
    func step(_ operation: Operation, on state: inout State) -> Result

    /// Returns whether a result is right where the model's own would be another; by default if they are equal.
    ///
    /// Override it for an object that is free in some results, as a cache is that may have dropped an entry. The next
    /// state is that of `step(_:on:)` nevertheless.
    ///
    /// - Parameters:
    ///   - result: What the object returned.
    ///   - expected: What the model returns.
    ///   - operation: The operation.
    /// - Returns: Whether it is right.
    func accepts(_ result: Result, expecting expected: Result, of operation: Operation) -> Bool

    /// Returns the independent part of the object that an operation is for, or `nil` for all of it, which is the default.
    ///
    /// If the results of the operations for one part never depend on those for another, as with the keys of a
    /// dictionary, each part can be checked by itself, which is much faster: a history is linearizable if and only if
    /// its histories of each part are (Herlihy and Wing, 1990: locality). All operations must have a part then.
    ///
    /// - Parameter operation: The operation.
    /// - Returns: The part.
    func part(of operation: Operation) -> AnyHashable?
}

extension LinearizableModel {
    /// Returns whether the results are equal.
    public func accepts(_ result: Result, expecting expected: Result, of operation: Operation) -> Bool {
        result == expected
    }

    /// Returns `nil`: every operation is for the whole object.
    public func part(of operation: Operation) -> AnyHashable? { nil }
}
