internal import struct Foundation.Data

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The few socket calls the loopback server needs, which hide the differences between platforms.
///
/// No call blocks: every descriptor that is returned is non-blocking and closed on exec.
enum LoopbackSystem {
    /// The result of reading from a socket.
    enum Received {
        case bytes(Int)
        case nothingYet
        case ended
    }

    /// The result of writing to a socket.
    enum Sent {
        case bytes(Int)
        case full
        case gone
    }

    /// The result of accepting a connection.
    enum Accepted {
        case connection(Int32)
        case nobody
        case exhausted
    }

    // MARK: - Opening

    /// Opens a listening socket on a free port of 127.0.0.1.
    static func openListener() throws(LoopbackError) -> (socket: Int32, port: UInt16) {
        let socket = socket(AF_INET, streamType, 0)
        guard socket >= 0 else { throw failure("socket") }
        do throws(LoopbackError) {
            try prepare(socket)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let bound = unsafe withSocketAddress(&address) { unsafe bind(socket, $0, length) }
            guard bound == 0 else { throw failure("bind") }
            guard listen(socket, SOMAXCONN) == 0 else { throw failure("listen") }
            let named = unsafe withSocketAddress(&address) { unsafe getsockname(socket, $0, &length) }
            guard named == 0 else { throw failure("getsockname") }
            return (socket, UInt16(bigEndian: address.sin_port))
        } catch {
            release(socket)
            throw error
        }
    }

    /// Opens a pipe.
    static func openPipe() throws(LoopbackError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw failure("pipe") }
        do throws(LoopbackError) {
            try prepare(ends[0])
            try prepare(ends[1])
            return (ends[0], ends[1])
        } catch {
            release(ends[0])
            release(ends[1])
            throw error
        }
    }

    /// Accepts one connection that waits on a listening socket.
    static func takeConnection(on listener: Int32) -> Accepted {
        while true {
            let socket = accept(listener, nil, nil)
            guard socket < 0 else {
                guard (try? prepare(socket)) != nil else {
                    release(socket)
                    continue
                }
                setOption(socket, level: Int32(IPPROTO_TCP), name: TCP_NODELAY)
                return .connection(socket)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .nobody
            }
        }
    }

    // MARK: - Waiting

    /// Waits until one of `entries` is ready or `milliseconds` have passed (forever if negative).
    static func wait(for entries: inout [pollfd], milliseconds: Int32) -> Int {
        let count = nfds_t(entries.count)
        return unsafe Int(poll(&entries, count, milliseconds))
    }

    // MARK: - Reading and writing

    /// Reads into `buffer` from its beginning.
    static func receive(from socket: Int32, into buffer: inout [UInt8]) -> Received {
        while true {
            let size = buffer.count
            let count = unsafe read(socket, &buffer, size)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .nothingYet
            default: return .ended
            }
        }
    }

    /// Writes `data` without its first `skipped` bytes; never raises SIGPIPE.
    static func transmit(_ data: Data, skipping skipped: Int, to socket: Int32) -> Sent {
        while true {
            let count = unsafe data.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer.dropFirst(skipped))
                return unsafe send(socket, rest.baseAddress, rest.count, sendFlags)
            }
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK, ENOBUFS: return .full
            default: return .gone
            }
        }
    }

    /// Writes one byte into a pipe, unless it is full.
    static func signal(_ pipe: Int32) {
        var byte: UInt8 = 1
        _ = unsafe write(pipe, &byte, 1)
    }

    /// The number of bytes written that the peer's system has not received yet.
    static func unsentBytes(of socket: Int32) -> Int {
        var count: Int32 = 0
        #if canImport(Darwin)
            var length = socklen_t(MemoryLayout<Int32>.size)
            let result = unsafe getsockopt(socket, SOL_SOCKET, SO_NWRITE, &count, &length)
        #else
            let result = unsafe ioctl(socket, UInt(TIOCOUTQ), &count)
        #endif
        return result == 0 ? Int(count) : 0
    }

    // MARK: - Ending

    /// Closes a descriptor.
    static func release(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    /// Closes the sending side of a connection; the peer reads the end of the stream.
    static func endSending(on socket: Int32) {
        _ = shutdown(socket, Int32(SHUT_WR))
    }

    /// Makes the next `close` of `socket` reset the connection.
    static func resetOnClose(_ socket: Int32) {
        var value = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }
}

// MARK: - Private helpers

extension LoopbackSystem {
    private static var streamType: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    private static var sendFlags: Int32 {
        #if canImport(Darwin)
            0
        #else
            Int32(MSG_NOSIGNAL)
        #endif
    }

    private static func prepare(_ descriptor: Int32) throws(LoopbackError) {
        guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw failure("fcntl") }
        #if canImport(Darwin)
            setOption(descriptor, level: SOL_SOCKET, name: SO_NOSIGPIPE)
        #endif
    }

    private static func setOption(_ socket: Int32, level: Int32, name: Int32) {
        var on: Int32 = 1
        _ = unsafe setsockopt(socket, level, name, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func withSocketAddress(
        _ address: inout sockaddr_in,
        _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
    ) -> Int32 {
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
        }
    }

    private static func failure(_ call: String) -> LoopbackError {
        LoopbackError(call: call, number: errno)
    }
}
