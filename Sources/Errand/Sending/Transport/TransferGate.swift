extension TransferProgress {
    /// The direction of a body transfer.
    public enum Direction: Sendable, Hashable, CaseIterable {
        /// The body of the request.
        case sending
        /// The body of the response.
        case receiving
    }
}

/// Controls when body bytes may be transferred.
package protocol TransferGate: AnyObject, Sendable {
    /// Returns true if bytes may be transferred now; otherwise, wakes the waiter when it should ask again.
    ///
    /// The waiter is not retained.
    func admits(_ count: Int, _ direction: TransferProgress.Direction, waking waiter: any Wakeable) -> Bool
    /// Reports that admitted bytes have been transferred.
    func moved(_ count: Int, _ direction: TransferProgress.Direction)
    /// The maximum number of bytes to ask for at once.
    var pieceSize: Int { get }
}

extension TransferGate {
    package var pieceSize: Int { .max }
    package func moved(_ count: Int, _ direction: TransferProgress.Direction) {}
}

extension ExchangeContext {
    /// Waits until body bytes may be transferred: not while the request is suspended or its bandwidth is used up.
    ///
    /// A transport calls this before it takes body bytes from the network or sends some. With a transport that does
    /// not, transfers in flight continue to their end.
    ///
    /// - Parameters:
    ///   - count: The number of bytes; small enough, about 16 KiB, that a slow transfer does not come in rare bursts.
    ///   - direction: The direction of the transfer.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/cancelled`` if the calling task is cancelled.
    public func waitToTransfer(_ count: Int, _ direction: TransferProgress.Direction) async throws(ErrandError) {
        // Clamped, so that an excessive count cannot block the bandwidth of others forever.
        let count = min(max(0, count), Self.largestPiece)
        while true {
            let waiter = Waiter<Void>()
            guard !self.mayTransfer(count, direction, waking: waiter) else {
                self.gate?.moved(count, direction)
                return
            }
            guard await waiter.wait() != nil else { throw .cancelled() }
        }
    }

    private static var largestPiece: Int { 1 << 20 }

    /// The maximum number of bytes to ask for at once.
    var transferPieceSize: Int { self.gate?.pieceSize ?? .max }

    /// Returns true if body bytes may be transferred now; otherwise, wakes the waiter when it should ask again.
    ///
    /// The waiter is not retained.
    func mayTransfer(_ count: Int, _ direction: TransferProgress.Direction, waking waiter: any Wakeable) -> Bool {
        guard let gate = self.gate else { return true }
        let isOpen = gate.admits(count, direction, waking: waiter)
        self.watcher?.noteHeldBack(!isOpen, direction)
        return isOpen
    }
}
