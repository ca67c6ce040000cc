internal import ErrandMachines

/// What a request finds out while it runs.
struct RunProgress {
    /// The request as it was resolved.
    var request: HTTPRequest?
    /// How accessories see it; nothing when there are none.
    var activity: Activity?
    /// The last response, for the context of errors.
    var response: HTTPResponse?
    /// How often it went to the transport.
    var attempts = 0
    /// How long it waited for slots.
    var queueTime = Duration.zero
    /// When it was started, on the client's clock.
    var startedAt = Duration.zero
    /// A priority set after the request was made.
    var priority: RequestPriority?
    /// The ticket that it waits with, while it waits.
    var waitingTicket: AdmissionMachine.Ticket?
}
