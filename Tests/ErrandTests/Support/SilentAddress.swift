internal import Errand
internal import Foundation

#if os(Linux)
    /// An address of this machine that does not answer who wants to connect to a port, as behind a firewall that drops
    /// packets: a socket listens there, and takes in nobody any more.
    final class SilentAddress: Sendable {
        private let listener: Int32
        /// Fills the one place there is.
        private let guest: Int32

        /// Takes a port of 127.0.0.x.
        init(_ last: UInt32, port: UInt16) throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0000 + last).bigEndian
            address.sin_port = port.bigEndian
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let (listener, guest) = (Self.open(), Self.open())
            self.listener = listener
            self.guest = guest
            let isSilent = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(listener, address, length) == 0 && listen(listener, 0) == 0
                        && connect(guest, address, length) == 0
                }
            }
            guard isSilent else { throw ErrandError(.transportFailed, "the port \(port) is not free: \(errno)") }
        }

        deinit {
            close(self.guest)
            close(self.listener)
        }

        private static func open() -> Int32 { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
    }
#endif
