/// A limit of the bytes of bodies that all requests which share it send and receive in a second.
///
/// ```swift
/// let background = BandwidthLimit(receiving: 500_000)
/// let file = try await client.download(GetVideo(), to: place, options: .bandwidth(background))
/// ```
///
/// It is one of the ``RequestOptions``: give it to a client, an endpoint or one call. Requests with the same limit share
/// it, in equal parts where it is not enough. A request with a limit of its own keeps that of its client too. Heads do
/// not count. What is below a piece of 16 KiB is not spread over time: a limit of 1 KiB lets one such piece pass every
/// 16 seconds. Waiting for its turn makes no request late for the idle timeout.
///
/// It holds for transports that can hold bodies back: ``URLSessionTransport`` cannot on Linux.
public final class BandwidthLimit: Sendable {
    /// Why it is no limit, if so.
    let problem: ErrandError?
    private let lanes: [TransferProgress.Direction: BandwidthLane]

    /// Creates a limit for each direction; `nil` leaves that direction alone.
    ///
    /// - Parameters:
    ///   - sending: Bytes of request bodies in a second.
    ///   - receiving: Bytes of response bodies in a second. A limit of 0 or less fails each request that has it with
    ///     ``ErrandError/Code/invalidConfiguration``: to hold requests back, suspend them.
    ///   - clock: Measures the time; give the clock of the client, where that has one of its own.
    public init(sending: Int? = nil, receiving: Int? = nil, clock: some Clock<Duration> = ContinuousClock()) {
        let timebase = Timebase(clock)
        let rates = [(TransferProgress.Direction.sending, sending), (.receiving, receiving)]
        let wrong = rates.first { $1.map { $0 <= 0 } ?? false }
        self.problem = wrong.flatMap { direction, limit in
            limit.map {
                ErrandError(
                    .invalidConfiguration,
                    "a BandwidthLimit has \(direction): \($0), and has to be at least 1 byte a second, or nil for no limit; "
                        + "to hold requests back, suspend them")
            }
        }
        self.lanes = rates.reduce(into: [:]) { lanes, rate in
            if let limit = rate.1, limit > 0 { lanes[rate.0] = BandwidthLane(bytesPerSecond: limit, timebase) }
        }
    }

    /// The shares of one exchange, by direction.
    func makeShares() -> [TransferProgress.Direction: BandwidthShare] {
        self.lanes.mapValues { BandwidthShare(of: $0) }
    }

    /// The number of transfers that wait for their turn.
    package var waitingCount: Int { self.lanes.values.reduce(0) { $0 + $1.waitingCount } }
}
