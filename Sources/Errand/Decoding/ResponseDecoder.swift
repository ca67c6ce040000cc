/// Makes a value from a response that has passed validation.
///
/// A decoder is called once for each response, on the request's own actor or, for a large body, on a thread of its
/// own: it blocks nobody else.
public protocol ResponseDecoder<Output>: Sendable {
    /// What it makes.
    associatedtype Output: Sendable

    /// Makes the value.
    ///
    /// - Throws: Anything; an error that is not an ``ErrandError`` becomes the cause of one with the code
    ///   ``ErrandError/Code/decodingFailed``.
    func decode(_ response: HTTPResponse) throws -> Output
}
