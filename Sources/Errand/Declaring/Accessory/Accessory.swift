/// Hooks around a request, a batch or a chain that never wait: for logging, metrics, activity indicators and the like.
///
/// Each of the four hooks runs exactly once for everything that was started, in the order `willStart`, `didStart`,
/// `willStop`, `didStop`, accessory by accessory in the order given (the client's first), whatever the ending: success,
/// a cache hit, failure or cancellation. A call that sends returns after `didStop`.
///
/// A hook is given values, never the actor it watches. It may start other requests. It is called where the work is done,
/// from any thread, and should be brief: it must not block. Every member has a default that does nothing.
///
/// A hook that has to `await` something belongs to an ``AsyncAccessory``, and is ignored here: `async` makes it another
/// function than that of the protocol. `swift package race-check` finds it.
public protocol Accessory: Sendable {
    /// The work was started and is in the record.
    func willStart(_ activity: RequestActivity)
    /// The work shows as running.
    func didStart(_ activity: RequestActivity)
    /// The outcome is settled and about to be shown.
    func willStop(_ activity: RequestActivity, _ end: RequestActivity.End)
    /// The work is over, its slot is free and it is out of the record.
    func didStop(_ activity: RequestActivity, _ end: RequestActivity.End)
    /// Something happened between `didStart` and `willStop`.
    ///
    /// Called where it happens, possibly on a transport's thread, in order for each activity; it must not block. Attempts
    /// that are under way at once, such as the segments of a download, are each told in order, maybe at the same time.
    func observe(_ event: RequestActivity.Event, of activity: RequestActivity)
}

extension Accessory {
    /// Does nothing.
    public func willStart(_ activity: RequestActivity) {}
    /// Does nothing.
    public func didStart(_ activity: RequestActivity) {}
    /// Does nothing.
    public func willStop(_ activity: RequestActivity, _ end: RequestActivity.End) {}
    /// Does nothing.
    public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {}
    /// Does nothing.
    public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {}
}

extension RequestActivity {
    /// Something that happens to a piece of work while it runs.
    ///
    /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Event: Sendable {
        /// It waits for a slot.
        case queued
        /// It was given a slot after waiting so long.
        case admitted(waited: Duration)
        /// It goes to the transport: the number of the attempt, from 1.
        case attemptStarted(Int)
        /// The attempt that has just started carries this place in a trace; see ``TracingInterceptor``.
        case traced(TraceContext)
        /// The attempt that has just started sends another head than that of ``RequestActivity/request``: with the cookies and the
        /// credential, as interceptors have changed it, or where a redirection leads.
        ///
        /// Secrets are in its header fields as they are sent; printing it hides those that everybody takes for secrets.
        case requestHead(HTTPRequest)
        /// This attempt failed.
        case attemptFailed(Int, ErrandError)
        /// There is no network, and it waits for one; see ``ConnectivityPolicy``.
        case waitingForConnectivity
        /// There is a network again, after so long.
        case connectivityReturned(waited: Duration)
        /// It was suspended, or begins suspended; see ``Request/suspend()``.
        ///
        /// Of a batch or chain that is suspended this is told of that, and not of its requests.
        case suspended
        /// It goes on after it was suspended.
        case resumed
        /// It is sent again after a delay that begins now; see ``RetryPolicy``.
        case retry(ErrandError.Retry)
        /// It failed in a way that a retry may help against, and is not sent again though its policy has retries left.
        case retryRefused(ErrandError.Retry.Reason, RetryRefusal)
        /// It is sent once more after so long without a response, and the first one to come counts; see ``HedgePolicy``.
        case hedged(after: Duration)
        /// By the way it ended, the circuit of its origin has changed; see ``CircuitBreaker``.
        case circuitChanged(CircuitBreaker.State)
        /// It waits for the response to an equal request that is under way; see
        /// ``RequestOptions/coalescing(_:)-swift.type.method``.
        case coalesced
        /// An attempt has a connection to send on.
        case connected
        /// A response before the response came, such as early hints (RFC 9110 §15.2).
        ///
        /// Not every transport reports these: ``URLSessionTransport`` does not.
        case interimResponse(HTTPResponse.Head)
        /// The head of a response came.
        case responseHead(HTTPResponse.Head)
        /// The cache had a response of this age.
        case cacheHit(age: Duration)
        /// The cache was asked, and had no answer that could be used.
        case cacheMiss(CacheMiss)
        /// What the cache did by the rules of HTTP, once it is known; see ``CachePolicy/http``.
        case cacheStatus(ResponseSource.CacheStatus)
        /// Bytes of the request body have been sent.
        case sent(TransferProgress)
        /// Bytes of the response body have been received.
        case received(TransferProgress)
        /// The transport is done with an attempt, and this is where its time went.
        case exchangeFinished(ExchangeMetrics)
        /// Something that whoever runs the app should know, in words, such as a check that is switched off.
        case notice(String)
        /// A batch or chain came forward: so many children or steps have ended, of so many where that is known.
        case progress(finished: Int, total: Int?)
    }
}
