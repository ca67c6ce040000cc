/// Names one tenant of an arena.
package struct SlotKey: Sendable, Hashable {
    package let index: Int32
    package let generation: UInt32
}

/// A growable table of slots that are reused, each handed out under a key that never names a later tenant.
///
/// Inserting, removing and looking up take constant time. A key whose tenant has left finds nothing: late events are
/// harmless.
package struct SlotArena<Element>: ~Copyable {
    package typealias Key = SlotKey

    fileprivate struct Slot {
        var generation: UInt32
        var element: Element?
    }

    private var slots: [Slot] = []
    private var free: [Int32] = []

    package init() {}

    /// How many tenants there are.
    package var count: Int {
        self.slots.count - self.free.count
    }

    /// Tells whether the tenant of a key is still there.
    package func contains(_ key: Key) -> Bool {
        let index = Int(key.index)
        return index < self.slots.count && self.slots[index].generation == key.generation
            && self.slots[index].element != nil
    }

    /// Takes in an element and answers the key it is found under.
    package mutating func insert(_ element: Element) -> Key {
        guard let index = self.free.popLast() else {
            self.slots.append(Slot(generation: 0, element: element))
            return Key(index: Int32(self.slots.count - 1), generation: 0)
        }
        self.slots[Int(index)].element = element
        return Key(index: index, generation: self.slots[Int(index)].generation)
    }

    /// Removes and returns the tenant of a key, or `nil` if it left before.
    package mutating func remove(_ key: Key) -> Element? {
        let index = Int(key.index)
        guard index < self.slots.count, self.slots[index].generation == key.generation,
            let element = self.slots[index].element.take()
        else { return nil }
        self.slots[index].generation &+= 1
        self.free.append(key.index)
        return element
    }

    /// The tenant of a key, or `nil` if it left; setting a value replaces a tenant that is there.
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

    /// Changes the tenant of a key in place; does nothing if it left.
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
