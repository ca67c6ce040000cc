internal import struct Foundation.Data

extension RequestBody {
    /// This body sent no faster than so many bytes a second, on the average of the whole.
    ///
    /// It goes in small packets, with a pause after each. Redirections and retries begin anew. ``URLSessionTransport``
    /// writes streams into a file first: there that is slowed, and the file goes as fast as it can.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: The most bytes in a second; below 1 the request fails with
    ///     ``ErrandError/Code/encodingFailed``.
    ///   - clock: What the pauses are measured with.
    /// - Returns: The slower body.
    public func throttled(
        bytesPerSecond: Int, clock: any Clock<Duration> = ContinuousClock()
    ) -> RequestBody {
        self.map { original in
            guard bytesPerSecond > 0 else {
                throw ErrandError(.encodingFailed, "a body cannot be sent with \(bytesPerSecond) bytes a second")
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
        // A fifth of a second's worth, so that even a slow body moves.
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
