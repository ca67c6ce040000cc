/// The terms that a request is made and sent on: what its client, its endpoint and its call say together, the state of
/// the client's defaults that this is taken from, and for whom it began.
///
/// They are read at one moment and go on together: options of one state beside a credential of another are nobody's.
package struct RequestTerms: Sendable {
    /// The defaults of the client.
    package let plan: RequestPlan
    /// How the request is treated.
    package var options: SharedOptions
    /// The number of times the credentials of the client had been forgotten.
    let generation: Int

    package init(plan: RequestPlan, options: SharedOptions, generation: Int = 0) {
        (self.plan, self.options, self.generation) = (plan, options, generation)
    }

    /// Tells whether the credential of the options goes to a URL: one that is said for many requests goes to the client's
    /// own origins.
    ///
    /// - Throws: ``ErrandError`` where that would be nowhere.
    func letsCredential(goTo url: HTTPURL) throws(ErrandError) -> Bool {
        let options = self.options.value
        if !options.credentialStaysHome || options.sendsSecretsToAllOrigins { return true }
        guard self.plan.hasOrigins else {
            throw ErrandError(
                .invalidConfiguration,
                "the options of a client, batch, chain or list of pages have a credential, which goes to the client's own "
                    + "origins, and the client has no base URL: set one, or say it in the options of the endpoint")
        }
        return self.plan.isOwn(url)
    }
}
