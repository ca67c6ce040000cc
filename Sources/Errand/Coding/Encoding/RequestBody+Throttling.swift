internal import struct Foundation.Data

extension RequestBody {
    /// Returns this body with a limit on the average bytes per second.
    ///
    /// It is sent in small packets, with a pause after each. Redirects and retries start again. `URLSessionTransport`
    /// writes streams to a file first: only that is throttled, and the file is sent at full speed.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: The maximum number of bytes per second; below 1, the request fails with
    ///     ``ErrandError/Code/encodingFailed``.
    ///   - clock: The clock for the pauses.
    /// - Returns: The throttled body.
    public func throttled(
        bytesPerSecond: Int, clock: any Clock<Duration> = ContinuousClock()
    ) -> RequestBody {
        self.map { original in
            guard bytesPerSecond > 0 else {
                throw ErrandError(.encodingFailed, "a body cannot be sent with \(bytesPerSecond) bytes per second")
            }
            if case .none = original.body { return original }
            var encoded = original
            let content = try original.body.chunks()
            encoded.body = .stream(
                content.throttled(bytesPerSecond, Timebase(clock), original.body.origin),
                length: try original.body.length())
            return encoded
        }
    }
}

extension BodyStream {
    private static let packetSize = 16 << 10

    fileprivate func throttled(_ bytesPerSecond: Int, _ clock: Timebase, _ origin: Origin?) -> BodyStream {
        // A fifth of a second's worth, so that even a slow body makes steady progress.
        let packetSize = Swift.max(1, Swift.min(Self.packetSize, bytesPerSecond / 5))
        return BodyStream(of: [self], origin: origin) {
            var (chunks, rest, sent) = (self.makeAsyncIterator(), Data(), Int64(0))
            var start: Duration?
            return { () async throws(ErrandError) -> Data? in
                let begin = start ?? clock.now
                start = begin
                while rest.isEmpty {
                    guard let chunk = try await chunks.next() else { return nil }
                    rest = chunk
                }
                do {
                    try await clock.sleep(until: begin + .seconds(sent) / bytesPerSecond)
                } catch {
                    throw .cancelled()
                }
                let packet = rest.prefix(packetSize)
                rest = rest.dropFirst(packetSize)
                sent += Int64(packet.count)
                return packet
            }
        }
    }
}
