#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// A connection, with the state that its exchanges need.
    ///
    /// Confined to the loop and its thread.
    final class CurlConnection {
        let socket: Int32
        /// The number of exchanges that use it.
        fileprivate(set) var users = 0
        /// True if no bytes may arrive while it is idle: with HTTP/1 (RFC 9112 §9.2).
        fileprivate var isQuiet = false
        /// True if HTTP/2 is used on it from the first byte, without TLS.
        var speaksPlainHTTP2 = false
        /// The time until which it may be reused; `nil` before its first exchange has ended.
        fileprivate var deadline: ContinuousClock.Instant?
        /// The last stream that the server may have processed, if the server has announced it (RFC 9113 §6.8).
        private(set) var lastStream: Int?

        init(_ socket: Int32) {
            self.socket = socket
        }

        /// Records a GOAWAY frame; later ones never name a higher stream.
        func noteGoAway(lastStream: Int) {
            self.lastStream = min(self.lastStream ?? lastStream, lastStream)
        }
    }

    /// The sockets that libcurl has opened on a loop, and their connections.
    ///
    /// libcurl identifies the connection of an exchange by its end points, so connections are looked up by those.
    ///
    /// Confined to the loop and its thread. Safe although it holds a handle: it is only compared.
    @safe
    final class CurlSockets {
        /// The two ends of a connection.
        struct EndPoints: Hashable {
            let remote: String
            let remotePort: Int32
            let localPort: Int32

            /// Hashes the ports, which are almost unique.
            func hash(into hasher: inout Hasher) {
                hasher.combine(Int64(self.remotePort) << 32 | Int64(self.localPort))
            }
        }

        private let settings: CurlSettings
        /// The time for which an idle connection can be reused.
        private let lifetime: Duration
        /// Notified of closed connections.
        private let silences: CurlConnections
        /// Sockets without known end points: new ones, and Unix domain sockets.
        private var unnamed: Set<Int32> = []
        private var connections: [EndPoints: CurlConnection] = [:]
        private var names: [Int32: EndPoints] = [:]
        /// Sockets without end points that libcurl is waiting for.
        private var watched: Set<Int32> = []

        /// The number of calls to libcurl.
        private var turn = 0
        /// The time of the loop's last wakeup: faster than reading the clock for each received line.
        private(set) var wokeAt = ContinuousClock.now
        /// The handle of libcurl's last progress callback, and its turn.
        private var lastProgress: (easy: OpaquePointer, turn: Int)?

        init(_ settings: CurlSettings, _ silences: CurlConnections) {
            self.settings = settings
            self.lifetime = settings.network.idleConnectionLifetime.bounded
            self.silences = silences
        }

        // MARK: - Turns

        /// Handles the end of the loop's wait.
        func wakeUp() {
            self.wokeAt = .now
        }

        /// Called before each call to libcurl.
        func nextTurn() {
            self.turn += 1
        }

        /// Records a progress callback.
        func noteProgress(of easy: OpaquePointer) {
            unsafe self.lastProgress = (easy, self.turn)
        }

        /// Returns true if the last callback in this turn was the progress of the transfer.
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

        /// Records whether libcurl waits for a socket.
        func watch(_ socket: Int32, _ isWatched: Bool) {
            guard self.settings.network.unixSocket != nil else { return }
            if isWatched { self.watched.insert(socket) } else { self.watched.remove(socket) }
        }

        /// Returns the connection between two end points; `nil` if it is not known.
        func connection(between endPoints: EndPoints) -> CurlConnection? {
            if let connection = self.connections[endPoints] { return connection }
            // Unix domain sockets have no distinct end points.
            guard self.settings.network.unixSocket == nil else { return nil }
            self.nameSockets()
            return self.connections[endPoints]
        }

        /// True if there is an HTTP/2 connection without TLS.
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

        /// Returns true if a connection that libcurl has chosen must not be used: it was idle for too long, or has
        /// unexpected bytes.
        ///
        /// - Parameters:
        ///   - connection: The connection.
        ///   - easy: The handle of the exchange, which has the connection.
        /// - Returns: True if it must not be used; it is then closed for both directions.
        func isStale(_ connection: CurlConnection, of easy: OpaquePointer) -> Bool {
            guard connection.users == 0, let deadline = connection.deadline else { return false }
            let isExpired = self.wokeAt >= deadline
            guard unsafe isExpired || connection.isQuiet && self.hasBytes(connection, easy) else { return false }
            errand_socket_end(connection.socket)
            return true
        }

        /// Returns true if bytes wait on a connection.
        ///
        /// Over TLS, they may be the end of the session, or a ticket for the next one. Those almost always come before
        /// the first response, so few connections are lost.
        private func hasBytes(_ connection: CurlConnection, _ easy: OpaquePointer) -> Bool {
            unsafe errand_socket_has_bytes(connection.socket) || errand_curl_tls_has_bytes(easy) == ERRAND_TLS_YES
        }

        /// True if bytes wait on a Unix domain socket that libcurl is not waiting for: the socket of an exchange is
        /// unknown.
        var hasBytesOnUnnamed: Bool {
            self.unnamed.contains { !self.watched.contains($0) && errand_socket_has_bytes($0) }
        }

        /// Counts an exchange that uses a connection.
        func begin(_ connection: CurlConnection) {
            connection.users += 1
        }

        /// Handles the end of an exchange on a connection.
        ///
        /// - Parameters:
        ///   - connection: The connection.
        ///   - isQuiet: True if no bytes may arrive on it now; `nil` if that is unknown.
        ///   - limit: The time for which the server keeps it open.
        func end(_ connection: CurlConnection, isQuiet: Bool?, keptFor limit: Duration?) {
            connection.users -= 1
            if let isQuiet { connection.isQuiet = isQuiet }
            let lifetime = self.lifetime
            connection.deadline = self.wokeAt + min(lifetime, limit ?? lifetime)
        }
    }

    extension CurlSockets.EndPoints {
        /// Returns the end points of a socket; `nil` if it is not connected, or has no ports.
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
        /// The time for which an idle connection can be reused, in whole seconds, rounded up.
        var idleSeconds: Int {
            let (seconds, attoseconds) = self.network.idleConnectionLifetime.bounded.components
            return Int(clamping: min(seconds + (attoseconds > 0 ? 1 : 0), Int64(Int32.max)))
        }
    }
#endif
