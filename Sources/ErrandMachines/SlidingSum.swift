/// A sum over a sliding time window, which advances in tenths.
package struct SlidingSum: Sendable {
    private static let slotCount = 10

    private let slotLength: Duration
    private var slots = [Int](repeating: 0, count: Self.slotCount)
    /// The index of the current tenth since the epoch of the clock.
    private var present = 0
    /// The start of the next tenth.
    ///
    /// Most calls only check this.
    private var end: Duration
    /// The sum of the amounts in the window.
    package private(set) var sum = 0

    /// - Parameter window: Longer than zero.
    package init(window: Duration) {
        self.slotLength = max(.nanoseconds(10), window) / Self.slotCount
        self.end = self.slotLength
    }

    /// True if all amounts in the window are zero.
    package var isEmpty: Bool { self.slots.allSatisfy { $0 == 0 } }

    package mutating func add(_ amount: Int) {
        self.slots[self.present % Self.slotCount] += amount
        self.sum += amount
    }

    /// Drops amounts older than the window.
    ///
    /// Has no effect if the clock goes back.
    package mutating func advance(to now: Duration) {
        guard now >= self.end else { return }
        let next = Int(max(0, min(now / self.slotLength, 1e15)))
        guard next > self.present else { return }
        for slot in 0..<min(next - self.present, Self.slotCount) {
            let index = (self.present + 1 + slot) % Self.slotCount
            self.sum -= self.slots[index]
            self.slots[index] = 0
        }
        self.present = next
        self.end = self.slotLength * (next + 1)
    }
}
