/// A gate that requires another gate's admission and bandwidth in all shares.
final class PacedGate: TransferGate {
    private let gate: any TransferGate
    private let shares: [[TransferProgress.Direction: BandwidthShare]]

    var pieceSize: Int { 16 << 10 }

    init(_ gate: any TransferGate, limits: [BandwidthLimit]) {
        self.gate = gate
        self.shares = limits.map { $0.makeShares() }
    }

    func admits(_ count: Int, _ direction: TransferProgress.Direction, waking waiter: any Wakeable) -> Bool {
        guard self.gate.admits(count, direction, waking: waiter) else { return false }
        let shares = self.shares.compactMap { $0[direction] }
        // One after another: pieces reserved in earlier shares stay there for the next attempt.
        for share in shares where !share.reserve(count, waking: waiter) { return false }
        return true
    }

    func moved(_ count: Int, _ direction: TransferProgress.Direction) {
        for shares in self.shares { shares[direction]?.use(count) }
    }
}
