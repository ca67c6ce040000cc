extension TransferProgress {
    /// The directions in which bytes of a body move.
    public enum Direction: Sendable, Hashable, CaseIterable {
        /// The body of the request.
        case sending
        /// The body of the response.
        case receiving
    }
}

/// Says whether bytes of bodies may move now.
package protocol TransferGate: AnyObject, Sendable {
    /// Tells whether so many bytes may move; where not, someone is woken when it is worth asking again.
    ///
    /// Who is woken is not kept alive for that.
    func admits(_ count: Int, _ direction: TransferProgress.Direction, waking waiter: any Wakeable) -> Bool
    /// So many of the bytes that were let pass have moved.
    func moved(_ count: Int, _ direction: TransferProgress.Direction)
    /// The most bytes that it should be asked for at once.
    var pieceSize: Int { get }
}

extension TransferGate {
    package var pieceSize: Int { .max }
    package func moved(_ count: Int, _ direction: TransferProgress.Direction) {}
}

extension ExchangeContext {
    /// Waits until bytes of a body may move: not while the request is suspended, or has used up its bandwidth.
    ///
    /// A transport waits for this before it takes bytes of a body from the network or gives it some. Over one that does
    /// not, what is under way goes on to its end.
    ///
    /// - Parameters:
    ///   - count: How many bytes: few enough that a slow transfer is not one of rare bursts, 16 KiB or so.
    ///   - direction: Where they go.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/cancelled`` when the calling task is cancelled.
    public func waitToTransfer(_ count: Int, _ direction: TransferProgress.Direction) async throws(ErrandError) {
        // One who asks for more than can be must not use up the bandwidth of all others for ever.
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

    /// The most bytes that should be asked for at once.
    var transferPieceSize: Int { self.gate?.pieceSize ?? .max }

    /// Tells whether bytes of a body may move now; where not, someone is woken when it is worth asking again.
    ///
    /// Who is woken is not kept alive for that.
    func mayTransfer(_ count: Int, _ direction: TransferProgress.Direction, waking waiter: any Wakeable) -> Bool {
        guard let gate = self.gate else { return true }
        let isOpen = gate.admits(count, direction, waking: waiter)
        self.watcher?.noteHeldBack(!isOpen, direction)
        return isOpen
    }
}
