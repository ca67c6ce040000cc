public import Errand

/// What a ``StubTransport`` answers to the requests that a route is for.
public typealias StubRoute = Route<HTTPRequest, StubReply>
