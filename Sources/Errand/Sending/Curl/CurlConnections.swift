#if canImport(CErrandCurl)
    internal import ErrandMachines

    /// Tracks the activity of connections, which libcurl does not report, to detect dead ones.
    ///
    /// An HTTP/2 connection can go silent without being closed, and all requests to its host would keep joining it. RFC
    /// 9113 §6.7 has a ping for that, which libcurl does not send. Instead, a request that times out, or is cancelled
    /// after a while, gives up its connection if no byte has arrived on it, for any exchange, during at least half of
    /// its wait. Exchanges in flight on it continue; new ones open another connection.
    ///
    /// Confined to the loop and its thread.
    final class CurlConnections {
        typealias Instant = ContinuousClock.Instant

        /// The connections to a host that an exchange may join: those of exchanges with an equal share.
        struct Share: Equatable {
            /// Incremented when a connection is given up that others still use.
            var number = 0
            /// True if exchanges wait for a connection that is being opened, to share it.
            var waits = true
        }

        /// The wait of an exchange for its response.
        struct Wait {
            /// The time at which it started to look for a connection.
            let began: Instant
            /// The time at which the request was sent on a connection; `nil` before.
            let sent: Instant?
            /// True if it opened the connection.
            let isFirst: Bool
            /// The time at which the exchange last sent or received bytes.
            let moved: Instant
            /// True if it waits for its reader or its content, not for the server.
            let isHeldBack: Bool
        }

        private struct Life {
            var lastArrival: Instant?
            /// The total time for which exchanges waited in vain, and were cancelled, since the last arrival.
            var vainWait = Duration.zero
            /// The end of the time counted so far: concurrent waits count once.
            var countedUntil: Instant?
            /// True if a response came over HTTP/2; `nil` before the first response.
            var isShared: Bool?

            mutating func noteArrival(_ now: Instant) {
                self.lastArrival = now
                self.vainWait = .zero
            }
        }

        /// Indexed by descriptor, since descriptors are small numbers.
        private var lives: [Life] = []
        /// The shares of hosts with a given-up connection, by authority.
        private var shares: [String: Share] = [:]

        /// The time after which exchanges do not wait for another one's connection.
        static let longestConnecting = Duration.seconds(3)
        /// The minimum total wait of cancelled exchanges for a connection to be dead.
        static let longestVainWait = Duration.seconds(1)
        private static let mostHosts = 1024

        // MARK: - What happens

        /// Records the arrival of bytes, or of the end of the connection.
        func noteArrival(_ socket: Int32, at now: Instant = .now) {
            self.makeRoom(for: socket)
            self.lives[Int(socket)].noteArrival(now)
        }

        /// Records that a connection was closed.
        func noteClosed(_ socket: Int32) {
            if self.isKnown(socket) { self.lives[Int(socket)] = Life() }
        }

        /// Records a response and its HTTP version.
        func noteResponse(from url: HTTPURL, on socket: Int32?, isHTTP2: Bool) {
            if let socket {
                self.makeRoom(for: socket)
                self.lives[Int(socket)].isShared = isHTTP2
            }
            if !self.shares.isEmpty { self.shares[url.authority]?.waits = true }
        }

        private func isKnown(_ socket: Int32) -> Bool { self.lives.indices.contains(Int(socket)) }

        private func life(of socket: Int32) -> Life { self.isKnown(socket) ? self.lives[Int(socket)] : Life() }

        private func makeRoom(for socket: Int32) {
            let missing = Int(socket) + 1 - self.lives.count
            if missing > 0 { self.lives += Array(repeating: Life(), count: missing) }
        }

        // MARK: - Which to join

        /// Returns the share for new exchanges with a host.
        func share(of url: HTTPURL) -> Share {
            self.shares.isEmpty ? Share() : self.shares[url.authority] ?? Share()
        }

        /// Keeps new exchanges from joining the existing connections of a host.
        ///
        /// - Parameters:
        ///   - url: A URL of the host.
        ///   - isOpening: True if opening the connection takes too long.
        func giveUp(_ url: HTTPURL, isOpening: Bool) {
            // After this, a dead connection of another host may be joined, and is given up again.
            if self.shares.count >= Self.mostHosts { self.shares.removeAll() }
            self.shares[url.authority, default: Share()].number += 1
            self.shares[url.authority]?.waits = !isOpening
        }

        /// Returns true if a second exchange of a request should use a new connection instead of the first one's.
        func isSilent(_ wait: Wait, on socket: Int32?, at now: Instant = .now) -> Bool {
            guard let sent = wait.sent, let socket else { return true }
            let life = self.life(of: socket)
            return life.isShared != false
                && Self.isSilent(
                    since: sent, until: now, self.silence(of: wait, sent, life, now), after: Self.opening(wait, life))
        }

        /// Returns true if the connection of a stopped exchange is dead.
        func isDead(_ wait: Wait, on socket: Int32?, _ reason: StopReason, at now: Instant = .now) -> Bool {
            guard !wait.isHeldBack else { return false }
            guard let sent = wait.sent, let socket else {
                return wait.began.duration(to: now) >= Self.longestConnecting
            }
            let life = self.life(of: socket)
            let (silence, opening) = (self.silence(of: wait, sent, life, now), Self.opening(wait, life))
            switch reason {
            case .clientShutDown, .authenticationTimedOut: return false
            case .idleTimedOut: return Self.isSilent(since: max(sent, wait.moved), until: now, silence, after: opening)
            case .connectTimedOut, .firstByteTimedOut, .attemptTimedOut, .totalTimedOut:
                return Self.isSilent(since: sent, until: now, silence, after: opening)
            case .cancelled, .abandoned:
                guard silence >= opening else { return false }
                var waited = life
                let start = max(now - silence, waited.countedUntil ?? now - silence)
                if start < now { waited.vainWait += start.duration(to: now) }
                waited.countedUntil = max(now, waited.countedUntil ?? now)
                self.makeRoom(for: socket)
                self.lives[Int(socket)] = waited
                return waited.vainWait >= Self.longestVainWait
            }
        }

        /// Returns the time since the exchange or its connection was last active.
        private func silence(of wait: Wait, _ sent: Instant, _ life: Life, _ now: Instant) -> Duration {
            max(sent, wait.moved, life.lastArrival ?? sent).duration(to: now)
        }

        /// Returns true if a silence is at least half of a wait.
        ///
        /// Bytes at the start of a connection, such as HTTP/2 settings, do not count. An exchange that had little time
        /// left when the connection was open cannot tell whether it is dead.
        private static func isSilent(
            since start: Instant, until now: Instant, _ silence: Duration, after opening: Duration
        ) -> Bool {
            silence * 2 >= start.duration(to: now) && silence >= opening
        }

        /// Returns the time for which the connection was opened; zero if it has brought a response before.
        private static func opening(_ wait: Wait, _ life: Life) -> Duration {
            let isProven = life.isShared != nil && !wait.isFirst
            return isProven ? .zero : wait.began.duration(to: wait.sent ?? wait.began)
        }
    }
#endif
