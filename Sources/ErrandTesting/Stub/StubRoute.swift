public import Errand

/// A route of a ``StubTransport``.
public typealias StubRoute = Route<HTTPRequest, StubReply>
