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
}
