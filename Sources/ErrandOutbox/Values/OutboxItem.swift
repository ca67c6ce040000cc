public import Errand
public import Foundation

/// A request in an outbox.
public struct OutboxItem: Sendable, Hashable, Identifiable {
    /// The identity of the request, which is never reused.
    public let id: UUID
    /// The queue that the request is in.
    public let queue: String
    /// The name of the endpoint's type.
    public let endpointName: String
    /// The request method.
    public let method: HTTPMethod
    /// The URL without secrets; see `HTTPURL.redacted`.
    public let url: String
    /// The `Idempotency-Key` that it carries each time it is sent.
    public let idempotencyKey: String
    /// The time at which it was added, by the client's wall clock.
    public let addedAt: Date
    /// The size of the body in bytes.
    public let bodySize: Int64
    /// The tag that it was added with, if any.
    public let tag: String?
    /// The user data that it was added with, as stored on disk.
    let encodedUserData: Data?

    /// Decodes the user data that the request was added with; returns `nil` if there is none.
    ///
    /// - Parameter type: The type to decode. Data that another version of the app has added may have an older format.
    /// - Returns: The user data.
    /// - Throws: `ErrandError` with the code `decodingFailed` if the data cannot be decoded as this type.
    public func userData<Value: Decodable>(as type: Value.Type = Value.self) throws(ErrandError) -> Value? {
        do {
            return try self.encodedUserData.map { try JSONDecoder().decodeJSON(type, from: $0) }
        } catch {
            throw ErrandError(
                .decodingFailed, "the user data of an outbox request are not \(type): \(error)", cause: error)
        }
    }
}

/// The end of a request of an outbox.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum OutboxEnd: Sendable {
    /// The request was sent, and the response has a status from 200 to 299.
    case sent(HTTPResponse)
    /// The request failed permanently, see ``OutboxOptions/isPermanent``.
    ///
    /// With the code `bodyTooLarge`, the request was sent and the server may have processed it: only the response
    /// exceeds the client's `limits.responseBody`.
    case failed(ErrandError)
    /// The request became older than ``OutboxOptions/maximumAge`` and is not sent any more; an earlier attempt may have
    /// reached the server.
    case expired
}

/// An event of an outbox.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum OutboxEvent: Sendable {
    /// A request was written to disk.
    case added(OutboxItem)
    /// A request is being sent; the attempts are counted from 1 since the outbox was opened.
    case sending(OutboxItem, attempt: Int)
    /// A request failed. It is retried after the given delay, or earlier if a network becomes available.
    case waiting(OutboxItem, ErrandError, Duration)
    /// A request has ended, and its end was reported; it is removed next.
    case ended(OutboxItem, OutboxEnd)
    /// A file of a queue could not be read as a request and was moved to this URL; the queue proceeds.
    case damaged(URL)
    /// The folder cannot be used for a queue at the moment; the outbox tries again.
    case problem(queue: String, ErrandError)
}
