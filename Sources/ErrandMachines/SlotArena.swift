/// The key of an element in an arena.
package struct SlotKey: Sendable, Hashable {
    package let index: Int32
    package let generation: UInt32
}

/// A growable table of reusable slots whose keys are never valid for a later element.
///
/// Inserting, removing, and looking up take constant time. The key of a removed element finds no element, so that late
/// events are harmless.
package struct SlotArena<Element>: ~Copyable {
    package typealias Key = SlotKey

    fileprivate struct Slot {
        var generation: UInt32
        var element: Element?
    }

    private var slots: [Slot] = []
    private var free: [Int32] = []

    package init() {}

    package var count: Int {
        self.slots.count - self.free.count
    }

    /// Returns true if the element of a key is still present.
    package func contains(_ key: Key) -> Bool {
        let index = Int(key.index)
        return index < self.slots.count && self.slots[index].generation == key.generation
            && self.slots[index].element != nil
    }

    /// Inserts an element and returns its key.
    package mutating func insert(_ element: Element) -> Key {
        guard let index = self.free.popLast() else {
            self.slots.append(Slot(generation: 0, element: element))
            return Key(index: Int32(self.slots.count - 1), generation: 0)
        }
        self.slots[Int(index)].element = element
        return Key(index: index, generation: self.slots[Int(index)].generation)
    }

    /// Removes and returns the element of a key, or returns `nil` if it was removed before.
    package mutating func remove(_ key: Key) -> Element? {
        let index = Int(key.index)
        guard index < self.slots.count, self.slots[index].generation == key.generation,
            let element = self.slots[index].element.take()
        else { return nil }
        self.slots[index].generation &+= 1
        self.free.append(key.index)
        return element
    }

    /// The element of a key, or `nil` if it was removed.
    ///
    /// Setting a value replaces an existing element only.
    package subscript(key: Key) -> Element? {
        get {
            let index = Int(key.index)
            guard index < self.slots.count, self.slots[index].generation == key.generation else { return nil }
            return self.slots[index].element
        }
        set {
            let index = Int(key.index)
            guard let newValue, index < self.slots.count, self.slots[index].generation == key.generation,
                self.slots[index].element != nil
            else { return }
            self.slots[index].element = newValue
        }
    }

    /// Changes the element of a key in place.
    ///
    /// Has no effect if it was removed.
    package mutating func update(_ key: Key, _ change: (inout Element) -> Void) {
        let index = Int(key.index)
        guard index < self.slots.count, self.slots[index].generation == key.generation,
            var element = self.slots[index].element.take()
        else { return }
        change(&element)
        self.slots[index].element = element
    }
}

extension SlotArena.Slot: Sendable where Element: Sendable {}
extension SlotArena: Sendable where Element: Sendable {}
