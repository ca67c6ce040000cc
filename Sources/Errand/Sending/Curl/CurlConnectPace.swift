#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// The time in which libcurl tries to connect, and after which it goes on to the next address of a host.
    ///
    /// libcurl tries the addresses of one family one after the other, and gives each but the last half of the time that
    /// is left. So it gets the time that the exchange has before a deadline ends it, and at first each socket gives up
    /// after about three seconds, so that a dead address delays the next one by no more than that (RFC 8305 §5). If no
    /// address has answered by then, they are tried once more, for as long as there is time.
    struct CurlConnectPace {
        private let limit: Duration?
        private let began: ContinuousClock.Instant
        /// Whether sockets wait for an address as long as the system does.
        private(set) var isPatient = false

        /// Without a limit libcurl has none either, but for this one: a day, in milliseconds.
        private static let longest = 24 * 3_600_000
        /// A round that ends earlier was refused, in microseconds.
        private static let shortestSilence: Int64 = 900_000

        /// Begins to count the time that is left; `nil` where no deadline ends the wait for a connection.
        init(limit: Duration?, since began: ContinuousClock.Instant = .now) {
            self.limit = limit?.bounded
            self.began = began
        }

        /// The time for which libcurl may try from now on, in milliseconds.
        ///
        /// A quarter more than is left: it is the deadline that ends the exchange, and not libcurl.
        func milliseconds(at now: ContinuousClock.Instant = .now) -> Int {
            guard let limit = self.limit else { return Self.longest }
            let left = min(limit - self.began.duration(to: now), .milliseconds(Self.longest))
            // In nanoseconds, which fit.
            let (seconds, attoseconds) = (left * 5 / 4).components
            let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
            return min(max((nanoseconds + 999_999) / 1_000_000, 1), Self.longest)
        }

        /// Takes in how libcurl ended a transfer without a connection, after so many microseconds; returns whether the
        /// addresses are tried once more.
        mutating func startsOver(after code: Int32, _ microseconds: Int64) -> Bool {
            guard !self.isPatient, microseconds >= Self.shortestSilence,
                code == Int32(ERRAND_CURL_CANNOT_CONNECT.rawValue) || code == Int32(ERRAND_CURL_TIMED_OUT.rawValue)
            else { return false }
            self.isPatient = true
            return true
        }
    }
#endif
