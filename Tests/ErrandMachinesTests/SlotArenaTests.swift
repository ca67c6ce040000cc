import ErrandMachines
import TestEffort
import Testing

extension LongTests {
    @Suite("G6, G10: a late key finds nothing, and slots are used again", .timeLimit(.minutes(60)), .paced)
    struct SlotArenaTests {
        @Test("A tenant is found under its key until it leaves")
        func tenants() {
            var arena = SlotArena<String>()
            let first = arena.insert("first")
            let second = arena.insert("second")
            #expect(arena.count == 2)
            #expect(arena[first] == "first")
            #expect(arena.contains(second) == true)
            #expect(arena.remove(first) == "first")
            #expect(arena.remove(first) == nil)
            #expect(arena.count == 1)
            #expect(arena[second] == "second")
        }

        @Test("A key never names a later tenant of its slot")
        func lateKeys() {
            var arena = SlotArena<String>()
            var late: [SlotArena<String>.Key] = []
            for number in 0..<100 {
                let key = arena.insert("tenant \(number)")
                #expect(key.index == 0)
                for old in late {
                    #expect(arena.contains(old) == false)
                    #expect(arena[old] == nil)
                    arena[old] = "intruder"
                    arena.update(old) { $0 = "intruder" }
                    #expect(arena.remove(old) == nil)
                }
                #expect(arena[key] == "tenant \(number)")
                #expect(arena.remove(key) == "tenant \(number)")
                late.append(key)
            }
            #expect(Set(late).count == 100)
            #expect(arena.count == 0)
        }

        @Test("A key without a tenant finds nothing in an empty slot either")
        func emptySlot() {
            var arena = SlotArena<String>()
            let key = arena.insert("gone")
            _ = arena.remove(key)
            arena[key] = "intruder"
            arena.update(key) { $0 = "intruder" }
            #expect(arena[key] == nil)
            #expect(arena.contains(key) == false)
            #expect(arena.count == 0)
        }

        @Test("A key of a larger arena finds nothing in a smaller one")
        func foreignKey() {
            var larger = SlotArena<Int>()
            _ = larger.insert(0)
            let key = larger.insert(1)
            var arena = SlotArena<Int>()
            _ = arena.insert(7)
            arena[key] = 9
            arena.update(key) { $0 = 9 }
            #expect(arena[key] == nil)
            #expect(arena.contains(key) == false)
            #expect(arena.remove(key) == nil)
            #expect(arena.count == 1)
        }

        @Test("A tenant can be replaced and changed in place; setting nothing does not remove it")
        func changing() {
            var arena = SlotArena<[Int]>()
            let key = arena.insert([1])
            arena[key] = [2]
            #expect(arena[key] == [2])
            arena.update(key) { $0.append(3) }
            #expect(arena[key] == [2, 3])
            arena[key] = nil
            #expect(arena[key] == [2, 3])
            #expect(arena.count == 1)
        }

        @Test("Any sequence of events gives what a dictionary gives, in as many slots as there were tenants at once")
        func sameAsDictionary() async {
            await overSeeds(reaching: ["reused", "late"]) { random in
                var arena = SlotArena<Int>()
                var model: [SlotArena<Int>.Key: Int] = [:]
                var keys: [SlotArena<Int>.Key] = []
                var words = Set<String>()
                var most = 0
                for number in 0..<200 {
                    let key = keys.isEmpty ? nil : keys[random.below(keys.count)]
                    switch (random.below(4), key) {
                    case (0..<2, _), (_, nil):
                        let inserted = arena.insert(number)
                        try hold(model[inserted] == nil && !keys.contains(inserted), "a key was handed out twice")
                        model[inserted] = number
                        keys.append(inserted)
                        most = max(most, model.count)
                        try hold(Int(inserted.index) < most, "a slot was not used again")
                        if inserted.generation > 0 { words.insert("reused") }
                    case (2, let key?):
                        if model[key] == nil { words.insert("late") }
                        try hold(arena.remove(key) == model.removeValue(forKey: key), "removed another tenant")
                    case (_, let key?):
                        arena.update(key) { $0 += 1 }
                        model[key]? += 1
                    }
                    if let key {
                        try hold(arena[key] == model[key], "found another tenant")
                        try hold(arena.contains(key) == (model[key] != nil), "contains")
                    }
                    try hold(arena.count == model.count, "\(arena.count) tenants, not \(model.count)")
                }
                return words
            }
        }
    }
}
