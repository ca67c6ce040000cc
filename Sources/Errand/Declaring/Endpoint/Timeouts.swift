/// Deadlines of a request, measured by the client's clock.
///
/// Errand keeps them; transports have none of their own. One that passes ends its attempt, or the whole request, with
/// ``ErrandError/Code/timedOut`` and a message that says which one it was. A request that is redirected, or asked for
/// credentials, makes several attempts; each has deadlines of its own, but for ``authentication`` and ``total``.
public struct Timeouts: Sendable, Hashable {
    /// From the slot to a connection that is ready to be sent on, with TLS where it has that.
    ///
    /// However many addresses the host has: a transport that tries them one after the other shares the time among them.
    ///
    /// Kept where the transport tells about its connections (``Transport/reportsConnections``): `CurlTransport` does,
    /// ``URLSessionTransport`` does not, and there ``idle`` bounds this wait too.
    public var connect: Duration?
    /// From the slot to the head of the response.
    public var firstByte: Duration?
    /// The longest time without anything sent or received, from the slot on.
    ///
    /// The body of a stream is waited for only while its reader asks for more: one that takes its time is not late. A
    /// body that is sent has to give something within it, however fast the network is: a ``BodyStream`` whose source
    /// rests, or a disk that is slower, in either direction, is late.
    public var idle: Duration?
    /// For one attempt: from the slot to the end of the body.
    public var attempt: Duration?
    /// From when a request waits for an ``Authenticator``, which renews a token, until that has an answer.
    ///
    /// A renewal goes on without the request; an ``Authenticator`` of an app's own is cancelled when nobody waits for it any
    /// more. Give more time where a person is asked, or a network waited for.
    public var authentication: Duration?
    /// For the whole request: from its start to its response, waiting for slots and all attempts included.
    public var total: Duration?

    /// Creates deadlines: those that are given, and no other but a minute for an authenticator.
    public init(
        connect: Duration? = nil, firstByte: Duration? = nil, idle: Duration? = nil, attempt: Duration? = nil,
        authentication: Duration? = .seconds(60), total: Duration? = nil
    ) {
        self.connect = connect
        self.firstByte = firstByte
        self.idle = idle
        self.attempt = attempt
        self.authentication = authentication
        self.total = total
    }

    /// Defaults of a client: 30 s for a connection, 60 s without anything sent or received, and 60 s
    /// for an authenticator.
    ///
    /// However large a body is and however long a stream lasts, what moves goes on.
    public static let standard = Timeouts(connect: .seconds(30), idle: .seconds(60))

    /// No deadline at all.
    public static let unlimited = Timeouts(authentication: nil)

    /// Why nothing can be sent within them, if so.
    package var problem: ErrandError? {
        func problem(_ name: StaticString, _ deadline: Duration?) -> ErrandError? {
            guard let deadline, deadline <= .zero else { return nil }
            return ErrandError.setting(
                "timeouts.\(name)", deadline, isPossible: false, "longer than nothing, or nil for no deadline")
        }
        return problem("connect", self.connect) ?? problem("firstByte", self.firstByte) ?? problem("idle", self.idle)
            ?? problem("attempt", self.attempt) ?? problem("authentication", self.authentication)
            ?? problem("total", self.total)
    }
}

/// Which deadlines the requests of an endpoint have.
public enum EndpointTimeouts: Sendable, Hashable {
    /// Those of the client.
    case clients
    /// These, and none of the client's.
    case own(Timeouts)
}
