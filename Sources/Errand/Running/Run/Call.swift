internal import ErrandMachines

/// A call as read when its request starts.
///
/// It is read once: afterwards the endpoint is only asked to validate and decode.
struct Call: Sendable {
    let endpoint: any Endpoint
    /// True for an endpoint with hooks.
    let isProcessing: Bool
    /// The terms, merged from the client, the endpoint, and the call.
    let terms: RequestTerms
    /// The resolved request.
    let request: HTTPRequest
    /// The request from which cache keys are made, if it differs from the one that is sent.
    let keyRequest: HTTPRequest?

    /// Reads a call.
    ///
    /// - Throws: ``ErrandError`` if the request cannot be sent.
    init(
        _ endpoint: some Endpoint, on terms: RequestTerms, in environment: RequestEnvironment
    ) throws(ErrandError) {
        guard !environment.isClosed else { throw StopReason.clientShutDown.error }
        if let problem = environment.problem { throw problem }
        // Accessed in place: copying the options is expensive.
        let options = terms.options
        if case .file(let target) = options.value.destination.kind { try target.check() }
        let resolved = try endpoint.resolve(under: terms)
        do throws(ErrandError) {
            try options.value.destination.check(resolved.request)
        } catch {
            var error = error
            error.context.method = resolved.request.method.rawValue
            error.context.url = resolved.request.url.redacted
            throw error
        }
        self.terms = terms
        self.request = resolved.request
        self.keyRequest = resolved.keyRequest
        self.endpoint = endpoint
        // Only a call derived from another one has the hooks of that one.
        self.isProcessing =
            endpoint is any ProcessingEndpoint || options.value.isDerived && endpoint.processing != nil
    }

    /// The endpoint as declared by the user, without wrappers for other body destinations and shared exchanges.
    var declared: any Endpoint {
        let call = (self.endpoint as? SharedCall)?.base ?? self.endpoint
        return (call as? any BodyCall)?.base ?? call
    }

    /// The endpoint with its hooks, if it has any.
    var processing: (any ProcessingEndpoint)? { self.isProcessing ? self.endpoint.processing : nil }
}
