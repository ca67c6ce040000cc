internal import Errand
internal import ErrandLocks
internal import Foundation

#if os(Linux)
    /// Passes connections on to a server, and lets those that are there go silent when it is told to: they stay open,
    /// and what comes on them from either side is thrown away.
    final class SilentRelay: Sendable {
        private struct State {
            var connections = 0
            /// The connections up to this one are silent.
            var silent = 0
            var waiters: [(connection: Int, waiter: Waiter<Void>)] = []
            var swallowed: [Int] = []
            /// The sockets of connections that are open, and how many threads still use them.
            var open: [Int: (sockets: [Int32], users: Int)] = [:]
            var isOver = false
        }

        let port: UInt16
        private let listener: Int32
        private let target: UInt16
        private let state = Locked(State())

        /// Opens a relay to a port of 127.0.0.1.
        init(to target: UInt16) throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.address(0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isOpen = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(listener, address, length) == 0 && listen(listener, 64) == 0
                        && getsockname(listener, address, &length) == 0
                }
            }
            guard isOpen else { throw ErrandError(.transportFailed, "no relay could be opened") }
            (self.listener, self.target, self.port) = (listener, target, UInt16(bigEndian: address.sin_port))
            // Ends with the listening socket.
            Thread { self.serve() }.start()
        }

        /// How many connections have come.
        var connections: Int { self.state.withLock { $0.connections } }

        /// Lets the connections that are there go silent.
        func silence() {
            self.state.withLock { $0.silent = $0.connections }
        }

        /// Waits until bytes of the client were thrown away on a silent connection, from 1, since this was asked last.
        func waitUntilSwallowed(on connection: Int = 1) async {
            let waiter = Waiter<Void>()
            let isThere = self.state.withLock { state in
                if let index = state.swallowed.firstIndex(of: connection) {
                    state.swallowed.remove(at: index)
                    return true
                }
                state.waiters.append((connection, waiter))
                return false
            }
            if !isThere { _ = await waiter.wait() }
        }

        /// Closes everything.
        func stop() {
            self.state.withLock { state in
                state.isOver = true
                for socket in state.open.values.flatMap(\.sockets) { _ = shutdown(socket, Int32(SHUT_RDWR)) }
            }
            _ = shutdown(self.listener, Int32(SHUT_RDWR))
        }

        // MARK: - The threads

        private func serve() {
            while true {
                let client = accept(self.listener, nil, nil)
                guard client >= 0 else { break }
                let server = self.connect()
                let number = self.state.withLock { state -> Int? in
                    guard !state.isOver, server >= 0 else { return nil }
                    state.connections += 1
                    state.open[state.connections] = ([client, server], 2)
                    return state.connections
                }
                guard let number else {
                    close(client)
                    if server >= 0 { close(server) }
                    continue
                }
                // They end with the connection, at the latest when the relay is stopped.
                Thread { self.pass(from: client, to: server, number, isRequest: true) }.start()
                Thread { self.pass(from: server, to: client, number, isRequest: false) }.start()
            }
            close(self.listener)
        }

        private func pass(from source: Int32, to target: Int32, _ number: Int, isRequest: Bool) {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = unsafe recv(source, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                if self.state.withLock({ $0.silent >= number }) {
                    if isRequest { self.swallow(number) }
                } else {
                    var rest = buffer[..<count]
                    while !rest.isEmpty {
                        let sent = unsafe rest.withUnsafeBytes { bytes in
                            unsafe send(target, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                        }
                        guard sent > 0 else { break }
                        rest = rest.dropFirst(sent)
                    }
                }
            }
            _ = shutdown(target, Int32(SHUT_WR))
            self.state.withLock { state in
                state.open[number]?.users -= 1
                guard let (sockets, users) = state.open[number], users == 0 else { return }
                state.open[number] = nil
                for socket in sockets { close(socket) }
            }
        }

        private func swallow(_ number: Int) {
            let waiter = self.state.withLock { state -> Waiter<Void>? in
                guard let index = state.waiters.firstIndex(where: { $0.connection == number }) else {
                    state.swallowed.append(number)
                    return nil
                }
                return state.waiters.remove(at: index).waiter
            }
            waiter?.resume(())
        }

        private func connect() -> Int32 {
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.address(self.target)
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isConnected = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe Foundation.connect(server, address, length) == 0
                }
            }
            if isConnected { return server }
            close(server)
            return -1
        }

        private static func address(_ port: UInt16) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = port.bigEndian
            return address
        }
    }
#endif
