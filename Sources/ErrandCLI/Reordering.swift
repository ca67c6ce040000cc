/// Brings things that come in any order back into the order of their positions.
struct Reordering<Element> {
    private var early: [Int: Element] = [:]
    private var next = 0

    /// Takes the element of a position, and returns those whose turn it is now.
    mutating func add(_ element: Element, at position: Int) -> [Element] {
        self.early[position] = element
        var due: [Element] = []
        while let element = self.early.removeValue(forKey: self.next) {
            due.append(element)
            self.next += 1
        }
        return due
    }

    /// What waits for a position that has not come, in order.
    var rest: [Element] {
        self.early.sorted { $0.key < $1.key }.map(\.value)
    }
}
