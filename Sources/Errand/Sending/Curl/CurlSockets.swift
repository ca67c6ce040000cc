#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// A connection, as far as it matters to those who use it one after another.
    ///
    /// Belongs to the loop and its thread, like those who hold it.
    final class CurlConnection {
        let socket: Int32
        /// The number of exchanges it serves at present.
        fileprivate(set) var users = 0
        /// Whether nothing may come on it while it serves no exchange: with HTTP/1 (RFC 9112 §9.2).
        fileprivate var isQuiet = false
        /// Whether HTTP/2 is spoken on it from the first byte, without TLS.
        var speaksPlainHTTP2 = false
        /// Until when it serves another exchange; `nil` before the first one has ended.
        fileprivate var deadline: ContinuousClock.Instant?
        /// The last stream that the server may have processed, once it has said so (RFC 9113 §6.8).
        private(set) var lastStream: Int?

        init(_ socket: Int32) {
            self.socket = socket
        }

        /// The server has sent a GOAWAY frame; later ones never name a higher stream.
        func noteGoAway(lastStream: Int) {
            self.lastStream = min(self.lastStream ?? lastStream, lastStream)
        }
    }

    /// The sockets that libcurl has opened on a loop, and the connections that they are.
    ///
    /// libcurl says which connection it has chosen for an exchange by its end points, so they are found by those.
    ///
    /// Belongs to the loop and its thread. Safe although it holds a handle: that is compared, and never used.
    @safe
    final class CurlSockets {
        /// The two ends of a connection.
        struct EndPoints: Hashable {
            let remote: String
            let remotePort: Int32
            let localPort: Int32

            /// Feeds the ports to a hasher: hardly two connections have the same ones.
            func hash(into hasher: inout Hasher) {
                hasher.combine(Int64(self.remotePort) << 32 | Int64(self.localPort))
            }
        }

        private let settings: CurlSettings
        /// How long a connection may be idle to be used again.
        private let lifetime: Duration
        /// What is told of those that are closed.
        private let silences: CurlConnections
        /// Those whose end points are not known yet, and those that have none: sockets in the file system.
        private var unnamed: Set<Int32> = []
        private var connections: [EndPoints: CurlConnection] = [:]
        private var names: [Int32: EndPoints] = [:]
        /// Those that libcurl waits for at present, as far as they have no end points.
        private var watched: Set<Int32> = []

        /// Counts the calls of libcurl.
        private var turn = 0
        /// When the loop woke up last: quicker than to ask for the time at each line that is received.
        private(set) var wokeAt = ContinuousClock.now
        /// The handle that libcurl told progress of last, and in which turn.
        private var lastProgress: (easy: OpaquePointer, turn: Int)?

        init(_ settings: CurlSettings, _ silences: CurlConnections) {
            self.settings = settings
            self.lifetime = settings.network.idleConnectionLifetime.bounded
            self.silences = silences
        }

        // MARK: - Turns

        /// The loop has waited for something to do.
        func wakeUp() {
            self.wokeAt = .now
        }

        /// libcurl is about to be called.
        func nextTurn() {
            self.turn += 1
        }

        /// libcurl tells of the progress of a transfer.
        func noteProgress(of easy: OpaquePointer) {
            unsafe self.lastProgress = (easy, self.turn)
        }

        /// Whether the last thing that libcurl told of in this turn was the progress of a transfer.
        func hasJustProgressed(_ easy: OpaquePointer) -> Bool {
            guard let last = unsafe self.lastProgress else { return false }
            return unsafe last.turn == self.turn && last.easy == easy
        }

        // MARK: - Sockets

        func opened(_ socket: Int32) {
            self.unnamed.insert(socket)
        }

        func closed(_ socket: Int32) {
            self.unnamed.remove(socket)
            self.watched.remove(socket)
            self.silences.noteClosed(socket)
            if let name = self.names.removeValue(forKey: socket) { self.connections[name] = nil }
        }

        /// libcurl waits for a socket, or no longer.
        func watch(_ socket: Int32, _ isWatched: Bool) {
            guard self.settings.network.unixSocket != nil else { return }
            if isWatched { self.watched.insert(socket) } else { self.watched.remove(socket) }
        }

        /// The connection between two end points; `nil` where there is none that is known.
        func connection(between endPoints: EndPoints) -> CurlConnection? {
            if let connection = self.connections[endPoints] { return connection }
            // Sockets in the file system have no end points that tell them apart.
            guard self.settings.network.unixSocket == nil else { return nil }
            self.nameSockets()
            return self.connections[endPoints]
        }

        /// Whether there is a connection over HTTP/2 without TLS.
        var havePlainHTTP2: Bool { self.connections.values.contains(where: \.speaksPlainHTTP2) }

        private func nameSockets() {
            for socket in self.unnamed {
                guard let name = EndPoints(of: socket) else { continue }
                self.unnamed.remove(socket)
                self.names[socket] = name
                self.connections[name] = CurlConnection(socket)
            }
        }

        // MARK: - Use

        /// Whether a connection that libcurl has chosen must not serve another exchange: it was idle for too long, or
        /// something waits on it that belongs to no request.
        ///
        /// - Parameters:
        ///   - connection: The connection.
        ///   - easy: The handle of the exchange, which has the connection.
        /// - Returns: True if not; nothing more passes through it then.
        func isStale(_ connection: CurlConnection, of easy: OpaquePointer) -> Bool {
            guard connection.users == 0, let deadline = connection.deadline else { return false }
            let isExpired = self.wokeAt >= deadline
            guard unsafe isExpired || connection.isQuiet && self.hasBytes(connection, easy) else { return false }
            errand_socket_end(connection.socket)
            return true
        }

        /// Whether something waits on a connection.
        ///
        /// Over TLS that may be something else than a response: the end of the session, or a ticket for the next one. Those
        /// come before the first response almost always, so little is lost with such a connection.
        private func hasBytes(_ connection: CurlConnection, _ easy: OpaquePointer) -> Bool {
            unsafe errand_socket_has_bytes(connection.socket) || errand_curl_tls_has_bytes(easy) == ERRAND_TLS_YES
        }

        /// Whether something waits on a socket in the file system for which libcurl does not wait: which of them it has
        /// chosen for an exchange is not known.
        var hasBytesOnUnnamed: Bool {
            self.unnamed.contains { !self.watched.contains($0) && errand_socket_has_bytes($0) }
        }

        /// An exchange goes onto a connection.
        func begin(_ connection: CurlConnection) {
            connection.users += 1
        }

        /// An exchange is done with a connection.
        ///
        /// - Parameters:
        ///   - connection: The connection.
        ///   - isQuiet: Whether nothing may come on it now; `nil` where that is not known.
        ///   - limit: How long the server keeps it open.
        func end(_ connection: CurlConnection, isQuiet: Bool?, keptFor limit: Duration?) {
            connection.users -= 1
            if let isQuiet { connection.isQuiet = isQuiet }
            let lifetime = self.lifetime
            connection.deadline = self.wokeAt + min(lifetime, limit ?? lifetime)
        }
    }

    extension CurlSockets.EndPoints {
        /// The end points of a socket; `nil` where it is not connected, or not by ports.
        fileprivate init?(of socket: Int32) {
            var (remotePort, localPort): (Int32, Int32) = (0, 0)
            let remote = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(ERRAND_SOCKET_ADDRESS_ROOM))
            {
                room -> String? in
                guard let start = room.baseAddress,
                    unsafe errand_socket_end_points(socket, start, &remotePort, &localPort)
                else { return nil }
                return unsafe String(cString: start)
            }
            guard let remote else { return nil }
            self.init(remote: remote, remotePort: remotePort, localPort: localPort)
        }
    }

    extension CurlSettings {
        /// The time for which a connection may be idle to be used again, in whole seconds, rounded up.
        var idleSeconds: Int {
            let (seconds, attoseconds) = self.network.idleConnectionLifetime.bounded.components
            return Int(clamping: min(seconds + (attoseconds > 0 ? 1 : 0), Int64(Int32.max)))
        }
    }
#endif
