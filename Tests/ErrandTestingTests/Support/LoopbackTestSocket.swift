internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// One blocking connection of a test client.
final class LoopbackTestSocket {
    enum Failure: Error { case refused, reset, ended, timedOut(Int32) }
    enum End: Sendable { case closed, reset }

    private let descriptor: Int32
    private var waiting = Data()
    private var isOpen = true

    init(port: UInt16) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var limit = timeval(tv_sec: 3_600, tv_usec: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            finish()
            throw Failure.refused
        }
    }

    /// Closes the connection.
    func finish() {
        if isOpen { _ = close(descriptor) }
        isOpen = false
    }

    /// Writes all of a text.
    func write(_ text: String) throws { try write(Data(text.utf8)) }

    /// Writes all bytes.
    func write(_ data: Data) throws {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        let bytes = [UInt8](data)
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { rest in
                unsafe send(descriptor, rest.baseAddress, rest.count, flags)
            }
            guard count > 0 else { throw Failure.reset }
            sent += count
        }
    }

    /// Reads exactly `count` bytes.
    func read(_ count: Int) throws -> Data {
        while waiting.count < count { try fill() }
        defer { waiting = Data(waiting.dropFirst(count)) }
        return Data(waiting.prefix(count))
    }

    /// Reads up to and with the empty line that ends a head.
    func readHead() throws -> String {
        let mark = Data("\r\n\r\n".utf8)
        while true {
            if let end = waiting.range(of: mark) {
                return String(decoding: try read(end.upperBound - waiting.startIndex), as: UTF8.self)
            }
            try fill()
        }
    }

    /// Reads a response with a `Content-Length`, and returns its body.
    func readBody() throws -> String {
        let head = try readHead()
        let line = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
        let length = line.flatMap { Int($0.dropFirst(16)) } ?? 0
        return String(decoding: try read(length), as: UTF8.self)
    }

    /// Reads until the connection ends, and says how it ended.
    func readToEnd() throws -> (text: String, end: End) {
        var end = End.closed
        do {
            while true { try fill() }
        } catch Failure.ended {
            end = .closed
        } catch Failure.reset {
            end = .reset
        }
        defer { waiting = Data() }
        return (String(decoding: waiting, as: UTF8.self), end)
    }

    private func fill() throws {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let size = buffer.count
        let count = unsafe recv(descriptor, &buffer, size, 0)
        guard count >= 0 else { throw errno == ECONNRESET ? Failure.reset : Failure.timedOut(errno) }
        guard count > 0 else { throw Failure.ended }
        waiting.append(contentsOf: buffer[..<count])
    }
}
