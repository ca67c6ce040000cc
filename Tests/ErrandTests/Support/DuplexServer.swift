internal import Errand
internal import Foundation

#if os(Linux)
    /// A server for one connection and one request, which it answers before it has read any content.
    ///
    /// What is sent back is the content as it is framed, in chunks, so the response has the framing of the request and
    /// ends where that ends.
    final class DuplexServer: Sendable {
        /// What comes after the head of the response.
        enum Habit: Sendable {
            /// Everything that is read is sent back.
            case echo
            /// The first bytes of the content are answered with a whole body; the rest is read and thrown away.
            case ending(status: Int, body: String)
            /// The first bytes of the content are answered with a reset.
            case resetting
        }

        let port: UInt16
        private let listener: Int32
        private let end = Waiter<Void>()

        /// Opens a server on a free port.
        init(_ habit: Habit) throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isOpen = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(listener, address, length) == 0 && listen(listener, 1) == 0
                        && getsockname(listener, address, &length) == 0
                }
            }
            guard isOpen else { throw ErrandError(.transportFailed, "no server could be opened") }
            self.listener = listener
            self.port = UInt16(bigEndian: address.sin_port)
            let end = self.end
            // Ends with the connection, or with the listening socket if nobody comes.
            Thread {
                Self.serve(listener, habit)
                end.resume(())
            }.start()
        }

        /// Lets nobody in any more; a connection that is open goes on.
        func stop() {
            _ = shutdown(self.listener, Int32(SHUT_RDWR))
        }

        /// Waits until the connection is closed; called once.
        func waitUntilClosed() async {
            _ = await self.end.wait()
        }

        // MARK: - The thread

        private static func serve(_ listener: Int32, _ habit: Habit) {
            let socket = accept(listener, nil, nil)
            close(listener)
            guard socket >= 0 else { return }
            defer { close(socket) }
            guard Self.readHead(from: socket) else { return }
            var (status, close) = (200, "")
            if case .ending(let other, _) = habit { (status, close) = (other, "Connection: close\r\n") }
            let head = "HTTP/1.1 \(status) Words\r\nTransfer-Encoding: chunked\r\n\(close)\r\n"
            Self.send(Array(head.utf8), to: socket)
            while let bytes = Self.read(from: socket) {
                switch habit {
                case .echo: Self.send(bytes, to: socket)
                case .ending(_, let body):
                    let chunk = "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
                    Self.send(Array(chunk.utf8), to: socket)
                    while Self.read(from: socket) != nil {}
                case .resetting:
                    var value = linger(l_onoff: 1, l_linger: 0)
                    let size = socklen_t(MemoryLayout<linger>.size)
                    _ = unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, size)
                    return
                }
            }
        }

        /// Reads a head and not a byte more; answers false when the connection ends before.
        private static func readHead(from socket: Int32) -> Bool {
            var last: [UInt8] = []
            while last != Array("\r\n\r\n".utf8) {
                guard let byte = Self.read(from: socket, upTo: 1) else { return false }
                last = (last + byte).suffix(4)
            }
            return true
        }

        /// The next bytes, or nothing at the end of the connection.
        private static func read(from socket: Int32, upTo limit: Int = 65_536) -> [UInt8]? {
            var buffer = [UInt8](repeating: 0, count: limit)
            let count = unsafe recv(socket, &buffer, limit, 0)
            return count > 0 ? Array(buffer[..<count]) : nil
        }

        private static func send(_ bytes: [UInt8], to socket: Int32) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { bytes in
                    unsafe Foundation.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
#endif
