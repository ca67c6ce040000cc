internal import ErrandMachines

/// Decides who may use the network next: so many at once in all, so many per host, in the order of priority and age.
///
/// Where all requests to a host share one connection, as with HTTP/2, that host has another limit, see ``Limits``.
///
/// The scheduler knows tickets, not requests. A slot is held only while a request is with the transport; a request
/// that waits, sleeps before a retry or decodes holds none.
///
/// Why what waits is certain to be woken: a slot is given whenever a slot or a ticket appears, within the same step, and
/// slots are given back by the request that held them, whatever its end. Where ``RateLimits`` hold a ticket back, a timer
/// is set for the moment when they do not.
public actor RequestScheduler {
    /// How many requests may be with the transport at once.
    public struct Limits: Sendable, Hashable {
        /// In all, whatever the hosts; at least 1.
        public var total: Int
        /// For one host and port, where each request takes a connection; at least 1.
        ///
        /// One that somebody chose holds for every version of HTTP, unless ``streamsPerHost`` was set too, before or
        /// after it.
        public var perHost: Int {
            didSet { if !self.hasOwnStreams { self.streams = self.perHost } }
        }
        /// For one host and port that answered with HTTP/2 or later, where all share a connection; at least 1.
        ///
        /// It holds from the first response with such a version on, for transports that tell the version
        /// (``ExchangeMetrics/httpVersion``); until then ``perHost`` does. Servers allow at least 100 streams by
        /// RFC 9113 §6.5.2.
        public var streamsPerHost: Int {
            get { self.streams }
            set { (self.streams, self.hasOwnStreams) = (newValue, true) }
        }

        private var streams: Int
        /// Whether somebody chose those: that is no part of what limits are.
        private(set) var hasOwnStreams: Bool

        /// Creates limits.
        ///
        /// - Parameters:
        ///   - total: In all.
        ///   - perHost: For one host and port; 6 unless it is given.
        ///   - streamsPerHost: The same where requests share a connection; unless it is given, as many as `perHost`
        ///     if that is, or else 100.
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

        /// Tells whether two limits allow the same.
        public static func == (one: Limits, other: Limits) -> Bool {
            one.total == other.total && one.perHost == other.perHost && one.streams == other.streams
        }

        /// Hashes what the limits allow.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(self.total)
            hasher.combine(self.perHost)
            hasher.combine(self.streams)
        }

        /// Why nobody can keep to them, if so.
        var problem: ErrandError? {
            let limits = [
                ("total", self.total), ("perHost", self.perHost), ("streamsPerHost", self.streamsPerHost),
            ]
            return limits.lazy.compactMap { name, limit in
                ErrandError.setting(
                    "limits.\(name)", limit, isPossible: limit >= 1, "at least 1; to send nothing, pause the scheduler")
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

    // MARK: - Looking

    /// How many requests hold a slot.
    public var activeCount: Int { self.admission.activeCount }

    /// How many requests wait for one.
    public var waitingCount: Int { self.admission.waitingCount }

    /// The limits in force.
    public var limits: Limits { self.admission.limits }

    /// How many requests each host takes at once, as it was found out, by host and port (`api.example.com:443`); empty without
    /// ``ClientConfiguration/Limits/adaptive``.
    ///
    /// No more than ``limits`` allow are sent in any case. Hosts that nothing was sent to for a while are forgotten.
    public var adaptedLimits: [String: Int] { self.admission.foundLimits }

    /// Tells whether slots are given.
    public var isPaused: Bool { self.admission.isPaused }

    // MARK: - Changing

    /// Sets new limits, which hold at once; slots over a lower limit run out by themselves, and less than 1 counts as 1.
    public func setLimits(_ limits: Limits) {
        self.admission.setLimits(limits)
    }

    /// Sets new rates, which hold at once; what each of them allows at once it allows anew.
    ///
    /// ``RateLimits/serverHold`` stays as it was when the client was made. Requests that wait already are not counted for
    /// a tag that had no limit when they came.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidConfiguration`` for a limit of less than one
    ///   request, or in no time; nothing is changed then.
    public func setRates(_ rates: RateLimits) throws(ErrandError) {
        if let problem = rates.problem { throw problem }
        self.admission.setRates(rates)
    }

    /// Gives no more slots until ``resume()``; what has one goes on.
    public func pause() {
        self.admission.pause()
    }

    /// Gives slots again.
    public func resume() {
        self.admission.resume()
    }
}
