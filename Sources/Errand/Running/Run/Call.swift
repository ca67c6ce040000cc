internal import ErrandMachines

/// A call as it is read when its request starts, once: nobody asks its endpoint anything after that but to validate and to
/// decode.
struct Call: Sendable {
    let endpoint: any Endpoint
    /// `true` for an endpoint with hooks.
    let isProcessing: Bool
    /// The terms: what client, endpoint and call say together.
    let terms: RequestTerms
    /// The request as it was resolved.
    let request: HTTPRequest
    /// The request as caches tell it from others, where that is not the one that is sent.
    let keyRequest: HTTPRequest?

    /// Reads a call.
    ///
    /// - Throws: ``ErrandError`` when nothing can be sent.
    init(
        _ endpoint: some Endpoint, on terms: RequestTerms, in environment: RequestEnvironment
    ) throws(ErrandError) {
        guard !environment.isClosed else { throw StopReason.clientShutDown.error }
        if let problem = environment.problem { throw problem }
        // Looked at where they are: a copy of all of them is dear.
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
        // Only a call that is made of another one has the hooks of that.
        self.isProcessing =
            endpoint is any ProcessingEndpoint || options.value.isDerived && endpoint.processing != nil
    }

    /// The endpoint as its user knows it: that whose body goes elsewhere, or whose exchange is shared.
    var declared: any Endpoint {
        let call = (self.endpoint as? SharedCall)?.base ?? self.endpoint
        return (call as? any BodyCall)?.base ?? call
    }

    /// The endpoint with its hooks, if it has some.
    var processing: (any ProcessingEndpoint)? { self.isProcessing ? self.endpoint.processing : nil }
}
