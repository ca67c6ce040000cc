package import ErrandMachines

/// Decides who may use the network next: so many at once in all, so many per host, in the order of priority and age.
///
/// Where all requests to a host share one connection, as with HTTP/2, that host has another limit, see ``Limits``.
///
/// The scheduler knows tickets, not requests. A slot is held only while a request is with the transport; a request
/// that waits, sleeps before a retry or decodes holds none.
///
/// Why what waits is certain to be woken: a slot is given whenever a slot or a ticket appears, within the same step;
/// slots are given back by the request that held them, whatever its end, and none of them lies unseen in the tray while
/// someone waits (see `SlotTray`).
public actor Scheduler {
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
        fileprivate var hasOwnStreams: Bool

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

        fileprivate init(_ limits: AdmissionMachine.Limits, hasOwnStreams: Bool) {
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

        fileprivate var admission: AdmissionMachine.Limits {
            AdmissionMachine.Limits(total: self.total, perHost: self.perHost, streamsPerHost: self.streamsPerHost)
        }
    }

    private let tray = SlotTray()
    /// What came from the tray; empty between two steps, kept for its memory.
    private var returned: [SlotTray.Slot] = []
    private var machine: AdmissionMachine
    /// Whether the limit of streams was chosen, for who reads the limits and changes one.
    private var hasOwnStreams: Bool
    /// Who waits, to be woken with a slot.
    private var waiting: [AdmissionMachine.Ticket: any Wakeable] = [:]

    package init(limits: Limits) {
        self.hasOwnStreams = limits.hasOwnStreams
        self.machine = AdmissionMachine(limits: limits.admission)
    }

    // MARK: - Looking

    /// How many requests hold a slot.
    public var activeCount: Int {
        self.collect()
        return self.machine.activeCount
    }

    /// How many requests wait for one.
    public var waitingCount: Int { self.machine.waitingCount }

    /// The limits in force.
    public var limits: Limits {
        Limits(self.machine.limits, hasOwnStreams: self.hasOwnStreams)
    }

    /// Tells whether slots are given.
    public var isPaused: Bool { self.machine.isPaused }

    // MARK: - Changing

    /// Sets new limits, which hold at once; slots over a lower limit run out by themselves.
    public func setLimits(_ limits: Limits) {
        self.collect()
        self.hasOwnStreams = limits.hasOwnStreams
        self.machine.setLimits(limits.admission)
        self.admit()
    }

    /// Gives no more slots until ``resume()``; what has one goes on.
    public func pause() {
        self.machine.pause()
    }

    /// Gives slots again.
    public func resume() {
        self.machine.resume()
        self.admit()
    }

    // MARK: - Slots

    package enum Place: Sendable {
        /// The slot is yours; give it back with `leave`.
        case slot(AdmissionMachine.Ticket)
        /// You are woken with a slot; when you stop waiting, say `leave` too.
        case queue(AdmissionMachine.Ticket)
    }

    /// Asks for a slot, or for a place in the queue.
    package func enter(host: String, priority: RequestPriority, waking wakeable: any Wakeable) -> Place {
        self.collect()
        switch self.machine.enqueue(host: host, priority: priority.admission) {
        case .admitted(let ticket):
            return .slot(ticket)
        case .wait(let ticket):
            self.waiting[ticket] = wakeable
            // From here on who gives a slot back comes to say so; what was given back until now is taken in.
            self.collect()
            return .queue(ticket)
        }
    }

    /// Gives back a slot; visits the scheduler only when someone waits for one, and is free to be had in any case.
    ///
    /// - Parameters:
    ///   - ticket: The slot.
    ///   - version: The version of HTTP that was spoken with it, if that is known.
    package nonisolated func giveBack(
        _ ticket: AdmissionMachine.Ticket, over version: ExchangeMetrics.HTTPVersion? = nil
    ) async {
        if self.tray.put(ticket, isMultiplexed: version?.isMultiplexed) { await self.collect() }
    }

    /// Takes note of the version that is spoken with a slot which is not given back for a while.
    package func note(_ ticket: AdmissionMachine.Ticket, _ version: ExchangeMetrics.HTTPVersion) {
        self.collect()
        self.machine.note(ticket, isMultiplexed: version.isMultiplexed)
        self.admit()
    }

    /// Gives back a slot for one who cannot wait.
    package nonisolated func giveBackSoon(_ ticket: AdmissionMachine.Ticket) {
        guard self.tray.put(ticket) else { return }
        // Unstructured: whoever lets go of something does not wait. Ends with that one visit.
        spawn { await self.collect() }
    }

    /// Takes in the slots that were given back; comes before every look at what is free.
    package func collect() {
        self.tray.take(into: &self.returned, isAwaited: self.machine.waitingCount > 0)
        guard !self.returned.isEmpty else { return }
        for slot in self.returned {
            if let isMultiplexed = slot.isMultiplexed { self.machine.note(slot.ticket, isMultiplexed: isMultiplexed) }
            _ = self.machine.leave(slot.ticket)
        }
        self.returned.removeAll(keepingCapacity: true)
        self.admit()
    }

    /// Gives back a slot or a place in the queue.
    ///
    /// A second time does nothing.
    package func leave(_ ticket: AdmissionMachine.Ticket) {
        switch self.machine.leave(ticket) {
        case .freedPlace: self.admit()
        case .leftQueue: self.waiting[ticket] = nil
        case .none: break
        }
    }

    /// Moves a ticket that waits to another priority; late, it does nothing.
    package func reprioritise(_ ticket: AdmissionMachine.Ticket, to priority: RequestPriority) {
        guard self.machine.reprioritise(ticket, to: priority.admission) == .moved else { return }
        self.admit()
    }

    /// Moves a ticket that waits up to a priority; never down.
    package func raise(_ ticket: AdmissionMachine.Ticket, to priority: RequestPriority) {
        guard let present = self.machine.priority(of: ticket), present.rawValue < priority.admission.rawValue
        else { return }
        self.reprioritise(ticket, to: priority)
    }

    /// Hands out every slot that can be had.
    private func admit() {
        while let ticket = self.machine.admitNext() {
            // One that was cancelled meanwhile does not notice; it is on its way to say `leave`.
            self.waiting.removeValue(forKey: ticket)?.wake()
        }
    }
}

extension ExchangeMetrics.HTTPVersion {
    /// Whether all requests to a host share a connection.
    fileprivate var isMultiplexed: Bool { self == .http2 || self == .http3 }
}
