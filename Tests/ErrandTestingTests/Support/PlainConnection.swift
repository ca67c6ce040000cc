internal import Dispatch
internal import Errand
internal import ErrandLocks
internal import Foundation

@testable internal import ErrandTesting

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#endif

/// One connection; blocks on queues of its own, one for each direction.
final class PlainConnection: Sendable {
    private struct State {
        var error: ErrandError?
        var hasReceived = false
        var leftover = Data()
    }

    private let socket: Int32
    private let reading = DispatchQueue(label: "plain reading")
    private let writing = DispatchQueue(label: "plain writing")
    private let state = Locked(State())

    /// Connects to a host that is written as an IPv4 address.
    init(to url: HTTPURL) async throws(ErrandError) {
        let port = UInt16(clamping: url.effectivePort)
        guard let socket = Self.connect(to: port) else {
            throw ErrandError(.cannotConnect, "nobody listens on \(port)")
        }
        self.socket = socket
    }

    deinit {
        _ = close(self.socket)
    }

    /// Whether anything has come since the last exchange began.
    var hasReceived: Bool { self.state.withLock { $0.hasReceived } }

    /// Keeps bytes that belong to no message, which is wrong.
    func keep(_ leftover: Data) {
        self.state.withLock { $0.leftover = leftover }
    }

    /// Begins an exchange.
    func begin() {
        self.state.withLock { $0.hasReceived = false }
    }

    /// Ends everything that is under way, with an error; the first one counts.
    func abort(_ error: ErrandError) {
        self.state.withLock { $0.error = $0.error ?? error }
        _ = Glue.shutdown(self.socket, Int32(SHUT_RDWR))
    }

    /// Ends the sending side.
    func endWriting() {
        _ = Glue.shutdown(self.socket, Int32(SHUT_WR))
    }

    /// Reads what there is, or nothing at the end.
    func read() async throws(ErrandError) -> Data? {
        let leftover = self.state.withLock { $0.leftover }
        guard leftover.isEmpty else {
            self.keep(Data())
            return leftover
        }
        let (bytes, number) = await withCheckedContinuation { continuation in
            self.reading.async { continuation.resume(returning: self.receive()) }
        }
        if let error = self.state.withLock({ $0.error }) { throw error }
        guard let bytes else { throw ErrandError(.connectionLost, "reading failed with error \(number)") }
        if !bytes.isEmpty { self.state.withLock { $0.hasReceived = true } }
        return bytes.isEmpty ? nil : bytes
    }

    /// Writes all bytes.
    func write(_ data: Data) async throws(ErrandError) {
        let isWritten = await withCheckedContinuation { continuation in
            self.writing.async { continuation.resume(returning: self.transmit(data)) }
        }
        if let error = self.state.withLock({ $0.error }) { throw error }
        guard isWritten else { throw ErrandError(.connectionLost, "writing failed") }
    }

    // MARK: - System calls

    private func receive() -> (Data?, Int32) {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let size = buffer.count
        let count = unsafe recv(self.socket, &buffer, size, 0)
        return count < 0 ? (nil, errno) : (Data(buffer[..<count]), 0)
    }

    private func transmit(_ data: Data) -> Bool {
        var sent = 0
        while sent < data.count {
            guard case .bytes(let count) = LoopbackSystem.transmit(data, skipping: sent, to: self.socket) else {
                return false
            }
            sent += count
        }
        return true
    }

    private static func connect(to port: UInt16) -> Int32? {
        #if canImport(Glibc)
            let socket = Glue.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let socket = Glue.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glue.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            _ = close(socket)
            return nil
        }
        return socket
    }
}

/// System calls whose names are those of members, too.
private enum Glue {
    static func shutdown(_ socket: Int32, _ how: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.shutdown(socket, how)
        #else
            Darwin.shutdown(socket, how)
        #endif
    }

    static func socket(_ domain: Int32, _ type: Int32, _ protocolNumber: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.socket(domain, type, protocolNumber)
        #else
            Darwin.socket(domain, type, protocolNumber)
        #endif
    }

    @unsafe static func connect(
        _ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
    ) -> Int32 {
        #if canImport(Glibc)
            unsafe Glibc.connect(socket, address, length)
        #else
            unsafe Darwin.connect(socket, address, length)
        #endif
    }
}
