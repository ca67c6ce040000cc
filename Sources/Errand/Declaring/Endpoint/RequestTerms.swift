/// The basis of a request: the options of its client, endpoint and call, merged, with the client's defaults they are
/// taken from, and the credential generation at its start.
///
/// They are read at one moment and passed on together, because options from one state must not be used with a
/// credential from another.
package struct RequestTerms: Sendable {
    /// The defaults of the client.
    package let plan: RequestPlan
    /// The effective options.
    package var options: SharedOptions
    /// The number of times the client's credentials had been discarded.
    let generation: Int

    package init(plan: RequestPlan, options: SharedOptions, generation: Int = 0) {
        (self.plan, self.options, self.generation) = (plan, options, generation)
    }

    /// Returns true if the credential of the options may be sent to a URL: one that is set for many requests goes to
    /// the client's own origins only.
    ///
    /// - Throws: ``ErrandError`` if the client has no origins.
    func letsCredential(goTo url: HTTPURL) throws(ErrandError) -> Bool {
        let options = self.options.value
        if !options.credentialStaysHome || options.sendsSecretsToAllOrigins { return true }
        guard self.plan.hasOrigins else {
            throw ErrandError(
                .invalidConfiguration,
                "the options of a client, batch, chain or list of pages have a credential, which goes to the client's own "
                    + "origins, but the client has no base URL: set one, or give the endpoint the credential")
        }
        return self.plan.isOwn(url)
    }
}
