/// A sequential specification of an object for a linearizability check.
///
/// A model is deterministic: an operation in a state has one result and one next state. It depends only on the state,
/// and is evaluated many times for the same operation, in any order.
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
/// Models of common objects are `RegisterModel`, `CounterModel`, `QueueModel`, `DictionaryModel` and `CacheModel`.
public protocol LinearizableModel<Operation, Result>: Sendable {
    /// An operation on the object, with its arguments.
    associatedtype Operation: Sendable

    /// The result of an operation.
    associatedtype Result: Sendable, Equatable

    /// The state of the object: everything on which later results depend.
    associatedtype State: Sendable, Hashable

    /// The state before the first operation.
    var initialState: State { get }

    /// Performs an operation on a state.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - state: The state before, which becomes the state after.
    /// - Returns: The result that the object must return.
    func step(_ operation: Operation, on state: inout State) -> Result

    /// Returns whether a result is correct where the model expects another one; by default, whether they are equal.
    ///
    /// Override it for an object that is free in some results, for example a cache, which may have dropped an entry.
    /// The next state is that of `step(_:on:)` nevertheless.
    ///
    /// - Parameters:
    ///   - result: The result that the object returned.
    ///   - expected: The result of the model.
    ///   - operation: The operation.
    /// - Returns: `true` if the result is correct.
    func accepts(_ result: Result, expecting expected: Result, of operation: Operation) -> Bool

    /// Returns the independent part of the object that an operation concerns, or `nil` for all of it, which is the
    /// default.
    ///
    /// If the results of the operations on one part never depend on those on another, as with the keys of a dictionary,
    /// each part can be checked separately, which is much faster: a history is linearizable if and only if its
    /// histories of each part are (Herlihy and Wing, 1990: locality). In that case, every operation must return a part.
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

    /// Returns `nil`: every operation concerns the whole object.
    public func part(of operation: Operation) -> AnyHashable? { nil }
}
