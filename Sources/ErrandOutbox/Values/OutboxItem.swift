public import Errand
public import Foundation

/// A request that an outbox keeps.
public struct OutboxItem: Sendable, Hashable, Identifiable {
    /// Tells it from all others, for good.
    public let id: UUID
    /// The queue that it is in.
    public let queue: String
    /// The name of the endpoint's type.
    public let endpointName: String
    /// The request method.
    public let method: HTTPMethod
    /// The URL, without what is secret in it; see `HTTPURL.redacted`.
    public let url: String
    /// The `Idempotency-Key` that it carries each time it is sent.
    public let idempotencyKey: String
    /// When it was added, by the client's wall clock.
    public let addedAt: Date
    /// The length of its body in bytes.
    public let bodySize: Int64
    /// The tag that it was added with; `nil` for none.
    public let tag: String?
    /// The user data that it was added with, as they are on disk.
    let encodedUserData: Data?

    /// Returns the user data that it was added with; `nil` for none.
    ///
    /// - Parameter type: Their type; what another version of the app has added may be of an older one.
    /// - Returns: The user data.
    /// - Throws: `ErrandError` with the code `decodingFailed` if they are not of this type.
    public func userData<Value: Decodable>(as type: Value.Type = Value.self) throws(ErrandError) -> Value? {
        do {
            return try self.encodedUserData.map { try JSONDecoder().decodeJSON(type, from: $0) }
        } catch {
            throw ErrandError(
                .decodingFailed, "the user data of a request in an outbox are no \(type): \(error)", cause: error)
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
    /// It was sent, and its response has a status from 200 to 299.
    case sent(HTTPResponse)
    /// It will never succeed: see ``OutboxOptions/isPermanent``.
    ///
    /// With the code `bodyTooLarge` it was sent, and the server may have done what it asks for: only the response is more
    /// than the client's `limits.responseBody`.
    case failed(ErrandError)
    /// It became older than ``OutboxOptions/maximumAge`` and is not sent any more; whether an attempt reached the server
    /// is not known.
    case expired
}

/// An event of an outbox.
///
/// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum OutboxEvent: Sendable {
    /// A request is on disk.
    case added(OutboxItem)
    /// It is sent, for the so many-th time since the outbox was opened, from 1.
    case sending(OutboxItem, attempt: Int)
    /// It failed, and is sent again after a time, or earlier when there is a network again.
    case waiting(OutboxItem, ErrandError, Duration)
    /// It has ended, and its end was reported; it is removed next.
    case ended(OutboxItem, OutboxEnd)
    /// A file of a queue cannot be read as a request; it was moved aside to this place, and the queue goes on.
    case damaged(URL)
    /// The folder cannot be used for a queue at the moment; that is tried again.
    case problem(queue: String, ErrandError)
}
