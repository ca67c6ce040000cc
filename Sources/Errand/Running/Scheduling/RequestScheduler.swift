internal import ErrandMachines

/// Schedules requests within a total limit and per-host limits, by priority and age.
///
/// Hosts with one connection for all requests, as with HTTP/2, have a limit of their own, see ``Limits``.
///
/// The scheduler handles tickets, not requests. A slot is held only while a request is with the transport; a request
/// that waits, sleeps before a retry, or decodes holds none.
///
/// Waiting requests are certain to be woken: a slot is assigned whenever a slot or a ticket becomes available, within
/// the same step, and each request releases its slots, whatever its end. For tickets held back by ``RateLimits``, a
/// timer is set for the time at which they are due.
public actor RequestScheduler {
    /// The maximum numbers of concurrent requests.
    public struct Limits: Sendable, Hashable {
        /// The limit for all hosts together, at least 1.
        public var total: Int
        /// The limit for one host and port with one request per connection, at least 1.
        ///
        /// If set, it applies to every HTTP version, unless ``streamsPerHost`` is set as well, before or after it.
        public var perHost: Int {
            didSet { if !self.hasOwnStreams { self.streams = self.perHost } }
        }
        /// The limit for one host and port with HTTP/2 or later, where requests share a connection, at least 1.
        ///
        /// It applies from the first response with such a version, for transports that report the version
        /// (``ExchangeMetrics/httpVersion``); until then ``perHost`` applies. Servers should allow at least 100 streams
        /// according to RFC 9113 §6.5.2.
        public var streamsPerHost: Int {
            get { self.streams }
            set { (self.streams, self.hasOwnStreams) = (newValue, true) }
        }

        private var streams: Int
        /// True if the stream limit was set explicitly.
        ///
        /// Not part of equality.
        private(set) var hasOwnStreams: Bool

        /// Creates limits.
        ///
        /// - Parameters:
        ///   - total: The limit for all hosts together.
        ///   - perHost: The limit for one host and port. Defaults to 6.
        ///   - streamsPerHost: The limit for one host and port where requests share a connection. Defaults to `perHost`
        ///     if that is given, otherwise to 100.
        public init(total: Int = 64, perHost: Int? = nil, streamsPerHost: Int? = nil) {
            self.total = total
            self.perHost = perHost ?? 6
            self.streams = streamsPerHost ?? perHost ?? 100
            self.hasOwnStreams = streamsPerHost != nil
        }

        init(_ limits: AdmissionMachine.Limits, hasOwnStreams: Bool) {
            (self.total, self.perHost, self.streams) = (limits.total, limits.perHost, limits.streamsPerHost)
            self.hasOwnStreams = hasOwnStreams
        }

        /// Returns a Boolean value that indicates whether two sets of limits are equal.
        public static func == (one: Limits, other: Limits) -> Bool {
            one.total == other.total && one.perHost == other.perHost && one.streams == other.streams
        }

        /// Hashes the limits.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(self.total)
            hasher.combine(self.perHost)
            hasher.combine(self.streams)
        }

        /// The error for the first invalid limit, if any.
        var problem: ErrandError? {
            let limits = [
                ("total", self.total), ("perHost", self.perHost), ("streamsPerHost", self.streamsPerHost),
            ]
            return limits.lazy.compactMap { name, limit in
                ErrandError.setting(
                    "limits.\(name)", limit, isPossible: limit >= 1, "at least 1; to send none, pause the scheduler")
            }.first
        }

        var machine: AdmissionMachine.Limits {
            AdmissionMachine.Limits(total: self.total, perHost: self.perHost, streamsPerHost: self.streamsPerHost)
        }
    }

    package nonisolated let admission: Admission

    package init(
        limits: Limits, rates: RateLimits, adaptive: AdaptiveConcurrency? = nil, _ timebase: Timebase,
        _ deadlines: DeadlineTimer
    ) {
        self.admission = Admission(limits, rates, adaptive, timebase, deadlines)
    }

    // MARK: - State

    /// The number of requests that hold a slot.
    public var activeCount: Int { self.admission.activeCount }

    /// The number of requests that wait for a slot.
    public var waitingCount: Int { self.admission.waitingCount }

    /// The current limits.
    public var limits: Limits { self.admission.limits }

    /// The measured concurrency limits by host and port (`api.example.com:443`).
    ///
    /// Empty without ``ClientConfiguration/Limits/adaptive``. The fixed ``limits`` apply in any case. Hosts without
    /// recent requests are forgotten.
    public var adaptedLimits: [String: Int] { self.admission.foundLimits }

    /// A Boolean value that indicates whether the scheduler is paused.
    public var isPaused: Bool { self.admission.isPaused }

    // MARK: - Changes

    /// Sets new limits, effective at once.
    ///
    /// Slots above a lower limit are kept until released, and values below 1 count as 1.
    public func setLimits(_ limits: Limits) {
        self.admission.setLimits(limits)
    }

    /// Sets new rates, effective at once and with full bursts.
    ///
    /// ``RateLimits/serverHold`` stays as it was when the client was created. Waiting requests do not count toward a
    /// tag that had no limit when they arrived.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidConfiguration`` for a rate of less than one
    ///   request, or with no time; no rates are changed then.
    public func setRates(_ rates: RateLimits) throws(ErrandError) {
        if let problem = rates.problem { throw problem }
        self.admission.setRates(rates)
    }

    /// Assigns no more slots until ``resume()``.
    ///
    /// Requests that hold a slot continue.
    public func pause() {
        self.admission.pause()
    }

    /// Assigns slots again.
    public func resume() {
        self.admission.resume()
    }
}
