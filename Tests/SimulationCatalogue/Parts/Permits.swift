/// A semaphore for tasks: whoever has waited longest goes first.
///
/// A cancelled task goes on waiting.
actor Permits {
    private var available: Int
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    init(_ count: Int) {
        self.available = count
    }

    func acquire(_ count: Int = 1) async {
        if self.waiting.isEmpty, self.available >= count {
            self.available -= count
        } else {
            await withCheckedContinuation { self.waiting.append((count, $0)) }
        }
    }

    func release(_ count: Int = 1) {
        self.available += count
        while let first = self.waiting.first, first.count <= self.available {
            self.available -= first.count
            self.waiting.removeFirst().continuation.resume()
        }
    }
}
