/// A limit on the body bytes per second of all requests that share it.
///
/// ```swift
/// let background = BandwidthLimit(receiving: 500_000)
/// let file = try await client.download(GetVideo(), to: place, options: .bandwidth(background))
/// ```
///
/// It is one of the ``RequestOptions``: set it for a client, an endpoint or one call. Requests with the same limit
/// share it, in equal parts if it is exhausted. The limit of a request applies in addition to that of its client. Heads
/// do not count. The smallest piece is 16 KiB: a limit of 1 KiB admits one such piece every 16 seconds. Waiting for a
/// turn does not count for the idle timeout.
///
/// It applies to transports that can hold bodies back.
public final class BandwidthLimit: Sendable {
    /// The error for an invalid limit, if any.
    let problem: ErrandError?
    private let lanes: [TransferProgress.Direction: BandwidthLane]

    /// Creates a limit for each direction; `nil` does not limit that direction.
    ///
    /// - Parameters:
    ///   - sending: Bytes of request bodies per second.
    ///   - receiving: Bytes of response bodies per second. A limit of 0 or less fails each of its requests with
    ///     ``ErrandError/Code/invalidConfiguration``; to hold requests back, suspend them.
    ///   - clock: Measures the time; pass the client's clock if it has its own.
    public init(sending: Int? = nil, receiving: Int? = nil, clock: some Clock<Duration> = ContinuousClock()) {
        let timebase = Timebase(clock)
        let rates = [(TransferProgress.Direction.sending, sending), (.receiving, receiving)]
        let wrong = rates.first { $1.map { $0 <= 0 } ?? false }
        self.problem = wrong.flatMap { direction, limit in
            limit.map {
                ErrandError(
                    .invalidConfiguration,
                    "a BandwidthLimit has \(direction): \($0), which has to be at least 1 byte per second, "
                        + "or nil for no limit; to hold requests back, suspend them")
            }
        }
        self.lanes = rates.reduce(into: [:]) { lanes, rate in
            if let limit = rate.1, limit > 0 { lanes[rate.0] = BandwidthLane(bytesPerSecond: limit, timebase) }
        }
    }

    /// Creates the shares of an exchange, by direction.
    func makeShares() -> [TransferProgress.Direction: BandwidthShare] {
        self.lanes.mapValues { BandwidthShare(of: $0) }
    }

    /// The number of transfers waiting for their turn.
    package var waitingCount: Int { self.lanes.values.reduce(0) { $0 + $1.waitingCount } }
}
