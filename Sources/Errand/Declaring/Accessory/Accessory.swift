/// Synchronous hooks around a request, a batch or a chain: for logging, metrics, activity indicators and the like.
///
/// Each of the four hooks runs exactly once for each started activity, in the order `willStart`, `didStart`,
/// `willStop`, `didStop`, accessory by accessory in the order given (the client's first), however the activity ends:
/// success, a cache hit, failure or cancellation. A call that sends returns after `didStop`.
///
/// A hook receives values, never the actor it watches. It may start other requests. It is called where the work is
/// done, on any thread, and must be brief and not block. Every member has a default implementation that does nothing.
///
/// A hook that has to `await` belongs in an ``AsyncAccessory``, and is ignored here: an `async` function does not
/// fulfill the requirement of this protocol. `swift package race-check` finds such hooks.
public protocol Accessory: Sendable {
    /// The activity was started and is in the record.
    func willStart(_ activity: RequestActivity)
    /// The activity is in the running state.
    func didStart(_ activity: RequestActivity)
    /// The outcome is settled and about to be published.
    func willStop(_ activity: RequestActivity, _ end: RequestActivity.End)
    /// The activity is over, its slot is free and it is out of the record.
    func didStop(_ activity: RequestActivity, _ end: RequestActivity.End)
    /// An event occurred between `didStart` and `willStop`.
    ///
    /// Called where the event occurs, possibly on a transport's thread, in order for each activity; it must not block.
    /// The events of parallel attempts, such as the segments of a download, are in order for each attempt, but may be
    /// reported concurrently.
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
    /// An event of an activity while it runs.
    ///
    /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Event: Sendable {
        /// The activity waits for a slot.
        case queued
        /// The activity was granted a slot after waiting for the given time.
        case admitted(waited: Duration)
        /// An attempt goes to the transport, with its number, from 1.
        case attemptStarted(Int)
        /// The attempt that has just started carries this trace context; see ``TracingInterceptor``.
        case traced(TraceContext)
        /// The attempt that has just started sends another head than that of ``RequestActivity/request``.
        ///
        /// It may have cookies and a credential, changes by interceptors, or the URL of a redirect. Its header fields
        /// contain secrets as they are sent; printing the request hides those that are known to be secrets.
        case requestHead(HTTPRequest)
        /// The attempt with this number failed.
        case attemptFailed(Int, ErrandError)
        /// There is no network, and the request waits for one; see ``ConnectivityPolicy``.
        case waitingForConnectivity
        /// A network became available after the given time.
        case connectivityReturned(waited: Duration)
        /// The activity was suspended, or starts suspended; see ``Request/suspend()``.
        ///
        /// If a batch or chain is suspended, the event is reported for it, and not for its requests.
        case suspended
        /// The activity was resumed after a suspension.
        case resumed
        /// The request is sent again after a delay that starts now; see ``RetryPolicy``.
        case retry(ErrandError.Retry)
        /// The request failed with a retryable error, but is not retried although its policy has retries left.
        case retryRefused(ErrandError.Retry.Reason, RetryRefusal)
        /// The request is sent once more, after the given time without a response, and the first response wins; see
        /// ``HedgePolicy``.
        case hedged(after: Duration)
        /// The outcome changed the state of the origin's circuit; see ``CircuitBreaker``.
        case circuitChanged(CircuitBreaker.State)
        /// The request waits for the response to an equal request in flight; see
        /// ``RequestOptions/coalescing(_:)-swift.type.method``.
        case coalesced
        /// An attempt has a connection to send on.
        case connected
        /// An interim response was received, such as early hints (RFC 9110 §15.2).
        ///
        /// `URLSessionTransport` does not report these.
        case interimResponse(HTTPResponse.Head)
        /// The head of a response was received.
        case responseHead(HTTPResponse.Head)
        /// The cache had a usable response of this age.
        case cacheHit(age: Duration)
        /// The cache had no usable response.
        case cacheMiss(CacheMiss)
        /// The cache's action under the rules of HTTP, once it is known; see ``CachePolicy/http``.
        case cacheStatus(ResponseSource.CacheStatus)
        /// Bytes of the request body have been sent.
        case sent(TransferProgress)
        /// Bytes of the response body have been received.
        case received(TransferProgress)
        /// The transport finished an attempt, with its metrics.
        case exchangeFinished(ExchangeMetrics)
        /// A message for the developer, for example about a check that is switched off.
        case notice(String)
        /// A batch or chain made progress: the number of children or steps that have ended, and their total if it is
        /// known.
        case progress(finished: Int, total: Int?)
    }
}
