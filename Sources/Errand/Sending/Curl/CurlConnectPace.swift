#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// The time for which libcurl tries to connect, and after which it tries the next address of a host.
    ///
    /// libcurl tries the addresses of one family in sequence, and gives each but the last half of the remaining time.
    /// Its limit is the exchange's time before a deadline. At first, each socket gives up after about three seconds, so
    /// that a dead address delays the next one by no more than that (RFC 8305 §5). If no address responds, all are
    /// tried once more, for the remaining time.
    struct CurlConnectPace {
        private let limit: Duration?
        private let began: ContinuousClock.Instant
        /// True if sockets wait as long as the system does.
        private(set) var isPatient = false

        /// The limit without a deadline, because libcurl needs one: a day, in milliseconds.
        private static let longest = 24 * 3_600_000
        /// A shorter round ended with a refused connection; in microseconds.
        private static let shortestSilence: Int64 = 900_000

        /// Starts the remaining time; `nil` if no deadline limits the connection phase.
        init(limit: Duration?, since began: ContinuousClock.Instant = .now) {
            self.limit = limit?.bounded
            self.began = began
        }

        /// Returns the remaining time for libcurl, in milliseconds.
        ///
        /// It includes a margin of a quarter, so that the deadline ends the exchange, not libcurl.
        func milliseconds(at now: ContinuousClock.Instant = .now) -> Int {
            guard let limit = self.limit else { return Self.longest }
            let left = min(limit - self.began.duration(to: now), .milliseconds(Self.longest))
            // In nanoseconds, which do not overflow.
            let (seconds, attoseconds) = (left * 5 / 4).components
            let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
            return min(max((nanoseconds + 999_999) / 1_000_000, 1), Self.longest)
        }

        /// Handles the end of a transfer without a connection, after some microseconds; returns true if the addresses
        /// are tried once more.
        mutating func startsOver(after code: Int32, _ microseconds: Int64) -> Bool {
            guard !self.isPatient, microseconds >= Self.shortestSilence,
                code == Int32(ERRAND_CURL_CANNOT_CONNECT.rawValue) || code == Int32(ERRAND_CURL_TIMED_OUT.rawValue)
            else { return false }
            self.isPatient = true
            return true
        }
    }
#endif
