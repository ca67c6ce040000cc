#if os(Linux) || os(macOS)
    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Darwin)
        internal import Darwin
    #endif

    /// A free port of 127.0.0.1 that the system does not assign again as long as this object exists.
    ///
    /// A socket is bound to it and does not listen. Another program of the same user can also bind to the port, and
    /// listen, if it sets `SO_REUSEPORT` too.
    final class ReservedPort: Sendable {
        let number: UInt16
        private let descriptor: Int32

        init() throws(ProgramError) {
            #if canImport(Glibc)
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                let descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            guard descriptor >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
                let number = Self.reserve(descriptor)
            else {
                let error = errno
                if descriptor >= 0 { _ = close(descriptor) }
                throw ProgramError("no port could be reserved: error \(error)")
            }
            self.descriptor = descriptor
            self.number = number
        }

        deinit {
            _ = close(self.descriptor)
        }

        private static func reserve(_ descriptor: Int32) -> UInt16? {
            var on: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            guard unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, size) == 0 else { return nil }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                    return unsafe bind(descriptor, general, length) == 0
                        && getsockname(descriptor, general, &length) == 0
                }
            }
            return isBound ? UInt16(bigEndian: address.sin_port) : nil
        }
    }
#endif
