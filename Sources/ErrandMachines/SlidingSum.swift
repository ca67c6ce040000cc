/// The sum of what was added within a window of time, which moves on in tenths.
package struct SlidingSum: Sendable {
    private static let slotCount = 10

    private let slotLength: Duration
    private var slots = [Int](repeating: 0, count: Self.slotCount)
    /// The number of the present tenth, since the beginning of the clock.
    private var present = 0
    /// When the next one begins: most often it is not looked further.
    private var end: Duration
    /// What was added and is not forgotten.
    package private(set) var sum = 0

    /// - Parameter window: Longer than nothing.
    package init(window: Duration) {
        self.slotLength = max(.nanoseconds(10), window) / Self.slotCount
        self.end = self.slotLength
    }

    /// Whether nothing in the window differs from what it was at the beginning.
    package var isEmpty: Bool { self.slots.allSatisfy { $0 == 0 } }

    package mutating func add(_ amount: Int) {
        self.slots[self.present % Self.slotCount] += amount
        self.sum += amount
    }

    /// Forgets what is older than the window; a clock that goes back changes nothing.
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
