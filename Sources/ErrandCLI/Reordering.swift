/// Restores the order of elements that arrive in any order, by their positions.
struct Reordering<Element> {
    private var early: [Int: Element] = [:]
    private var next = 0

    /// Adds the element of a position, and returns those that are now in order.
    mutating func add(_ element: Element, at position: Int) -> [Element] {
        self.early[position] = element
        var due: [Element] = []
        while let element = self.early.removeValue(forKey: self.next) {
            due.append(element)
            self.next += 1
        }
        return due
    }

    /// The elements that wait for a missing position, in order.
    var rest: [Element] {
        self.early.sorted { $0.key < $1.key }.map(\.value)
    }
}
