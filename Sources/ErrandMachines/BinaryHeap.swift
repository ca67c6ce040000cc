/// A binary min-heap: reading the smallest element takes constant time, inserting and removing logarithmic time.
package struct BinaryHeap<Element: Comparable>: ~Copyable {
    private var elements: [Element] = []

    package init() {}

    package var count: Int { self.elements.count }

    package var first: Element? { self.elements.first }

    package mutating func insert(_ element: Element) {
        self.elements.append(element)
        self.siftUp(from: self.elements.count - 1)
    }

    /// Removes and returns the smallest element.
    package mutating func popFirst() -> Element? {
        guard let first = self.elements.first, let last = self.elements.popLast() else { return nil }
        if !self.elements.isEmpty {
            self.elements[0] = last
            self.siftDown(from: 0)
        }
        return first
    }

    /// Removes all elements that do not satisfy the predicate, in linear time.
    package mutating func keep(where isKept: (Element) -> Bool) {
        self.elements.removeAll { !isKept($0) }
        for index in stride(from: self.elements.count / 2 - 1, through: 0, by: -1) {
            self.siftDown(from: index)
        }
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard self.elements[child] < self.elements[parent] else { return }
            self.elements.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            var smallest = parent
            for child in (2 * parent + 1)..<(2 * parent + 3) where child < self.elements.count {
                if self.elements[child] < self.elements[smallest] { smallest = child }
            }
            guard smallest != parent else { return }
            self.elements.swapAt(parent, smallest)
            parent = smallest
        }
    }
}

extension BinaryHeap: Sendable where Element: Sendable {}
