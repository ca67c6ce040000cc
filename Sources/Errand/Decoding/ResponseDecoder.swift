/// Makes a value from a response that has passed validation.
///
/// What an endpoint's ``Endpoint/decode(_:)`` is built from.
public protocol ResponseDecoder<Output>: Sendable {
    /// What it makes.
    associatedtype Output: Sendable

    /// Makes the value.
    ///
    /// - Throws: Anything; an error that is not an ``ErrandError`` becomes the cause of one with the code
    ///   ``ErrandError/Code/decodingFailed``.
    func decode(_ response: HTTPResponse) throws -> Output
}
