#if canImport(CErrandCurl)
    internal import ErrandMachines

    /// The lives of connections, of which libcurl does not tell: when bytes came on them, and which of them are dead.
    ///
    /// A connection over HTTP/2 can go silent without being closed, and then every request to its host would join it.
    /// RFC 9113 §6.7 has a ping for that, which libcurl does not send. So it is the requests that tell: one whose
    /// deadline passes, or that is cancelled after a while, gives its connection up if for at least half of its wait
    /// no byte has come, of whatever exchange. Exchanges that are under way there go on; new ones open another.
    ///
    /// Belongs to the loop and its thread.
    final class CurlConnections {
        typealias Instant = ContinuousClock.Instant

        /// Which connections to a host an exchange may join: those of exchanges with the same share, and no others.
        struct Share: Equatable {
            /// Counts up whenever one is given up that others are still on.
            var number = 0
            /// Whether a connection that is being opened is waited for, to be shared.
            var waits = true
        }

        /// An exchange that waits for a response.
        struct Wait {
            /// When it began to look for a connection.
            let began: Instant
            /// When the request went onto one; `nil` before.
            let sent: Instant?
            /// Whether it was the one that opened it.
            let isFirst: Bool
            /// When anything of the exchange was sent or received last.
            let moved: Instant
            /// Whether it waits for its reader or for its content, and not for the server.
            let isHeldBack: Bool
        }

        private struct Life {
            var lastArrival: Instant?
            /// For how long exchanges have waited in vain that were cancelled since then.
            var vainWait = Duration.zero
            /// Until when that was counted: those who wait at the same time count once.
            var countedUntil: Instant?
            /// Whether a response came over HTTP/2; `nil` as long as none has.
            var isShared: Bool?

            mutating func noteArrival(_ now: Instant) {
                self.lastArrival = now
                self.vainWait = .zero
            }
        }

        /// By descriptor: these are small numbers.
        private var lives: [Life] = []
        /// Of hosts of which a connection was given up, by their authorities.
        private var shares: [String: Share] = [:]

        /// After so long without a connection others of the host are not waited for.
        static let longestConnecting = Duration.seconds(3)
        /// Exchanges that were cancelled have to have waited so long, all together.
        static let longestVainWait = Duration.seconds(1)
        private static let mostHosts = 1024

        // MARK: - What happens

        /// Bytes came, or the end of the connection.
        func noteArrival(_ socket: Int32, at now: Instant = .now) {
            self.makeRoom(for: socket)
            self.lives[Int(socket)].noteArrival(now)
        }

        /// A connection was closed.
        func noteClosed(_ socket: Int32) {
            if self.isKnown(socket) { self.lives[Int(socket)] = Life() }
        }

        /// A response has come over some version of HTTP.
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

        /// The share of exchanges with a host that begin now.
        func share(of url: HTTPURL) -> Share {
            self.shares.isEmpty ? Share() : self.shares[url.authority] ?? Share()
        }

        /// Lets new exchanges with a host join none of its connections that are there.
        ///
        /// - Parameters:
        ///   - url: A URL of the host.
        ///   - isOpening: Whether it is one that is being opened which takes too long.
        func giveUp(_ url: HTTPURL, isOpening: Bool) {
            // Of hosts that are forgotten a dead connection may be joined again, and is given up again then.
            if self.shares.count >= Self.mostHosts { self.shares.removeAll() }
            self.shares[url.authority, default: Share()].number += 1
            self.shares[url.authority]?.waits = !isOpening
        }

        /// Whether a second exchange of a request is better sent on a new connection than on that of the first.
        func isSilent(_ wait: Wait, on socket: Int32?, at now: Instant = .now) -> Bool {
            guard let sent = wait.sent, let socket else { return true }
            let life = self.life(of: socket)
            return life.isShared != false
                && Self.isSilent(
                    since: sent, until: now, self.silence(of: wait, sent, life, now), after: Self.opening(wait, life))
        }

        /// Whether the connection of an exchange that is told to end is dead.
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

        /// For how long neither the exchange has moved nor a byte has come on its connection.
        private func silence(of wait: Wait, _ sent: Instant, _ life: Life, _ now: Instant) -> Duration {
            max(sent, wait.moved, life.lastArrival ?? sent).duration(to: now)
        }

        /// Whether a silence is most of a wait.
        ///
        /// What comes at the beginning says nothing: the settings of HTTP/2 come then. And who had little time left when
        /// the connection was open cannot tell whether it is dead.
        private static func isSilent(
            since start: Instant, until now: Instant, _ silence: Duration, after opening: Duration
        ) -> Bool {
            silence * 2 >= start.duration(to: now) && silence >= opening
        }

        /// For how long a connection was opened; zero where it has brought a response before.
        private static func opening(_ wait: Wait, _ life: Life) -> Duration {
            let isProven = life.isShared != nil && !wait.isFirst
            return isProven ? .zero : wait.began.duration(to: wait.sent ?? wait.began)
        }
    }
#endif
