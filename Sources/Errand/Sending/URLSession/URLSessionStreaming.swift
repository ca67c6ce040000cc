/// What a transport over URLSession does with a stream as the destination.
package enum URLSessionStreaming: Sendable {
    /// It suspends the task while the stream is full.
    case heldBack
    /// It lets what comes wait in memory, however much that is: for bodies that are known to be small, as in tests.
    case unbounded
    /// It refuses the exchange.
    case refused

    /// What is right for the platform.
    static var platform: URLSessionStreaming {
        #if canImport(FoundationNetworking)
            // A task that is suspended begins anew here when it is resumed.
            .refused
        #else
            .heldBack
        #endif
    }

    /// Makes sure that a body can go to a destination.
    ///
    /// - Throws: ``ErrandError`` when it cannot.
    func check(_ destination: ExchangeContext.BodyDestination) throws(ErrandError) {
        guard self == .refused, case .stream = destination else { return }
        throw ErrandError(.unsupported, "URLSessionTransport has no streams here: URLSession cannot be held back")
    }
}
