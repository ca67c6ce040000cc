/// A system call that failed while a loopback server was being opened.
public struct LoopbackError: Error, Hashable, CustomStringConvertible {
    /// The name of the system call.
    public let call: String
    /// The resulting error number (`errno`).
    public let number: Int32

    /// A sentence that describes the error.
    public var description: String { "The loopback server could not be opened: \(call) failed with error \(number)." }
}
