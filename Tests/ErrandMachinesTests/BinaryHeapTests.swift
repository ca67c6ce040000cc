import ErrandMachines
import TestEffort
import Testing

extension LongTests {
    @Suite("The heap under deadlines and admission", .timeLimit(.minutes(60)), .paced)
    struct BinaryHeapTests {
        private static func drain(_ heap: inout BinaryHeap<Int>) -> [Int] {
            var elements: [Int] = []
            while let element = heap.popFirst() { elements.append(element) }
            return elements
        }

        @Test("An empty heap has nothing to give")
        func empty() {
            var heap = BinaryHeap<Int>()
            #expect(heap.count == 0)
            #expect(heap.first == nil)
            #expect(heap.popFirst() == nil)
            heap.keep { _ in true }
            #expect(heap.popFirst() == nil)
        }

        @Test(
            "Elements come out sorted", arguments: [[1], [2, 1], Array(1...7), (1...7).reversed(), [3, 3, 1, 3, 1]])
        func sorts(_ elements: [Int]) {
            var heap = BinaryHeap<Int>()
            for element in elements { heap.insert(element) }
            #expect(heap.count == elements.count)
            #expect(heap.first == elements.min())
            #expect(Self.drain(&heap) == elements.sorted())
            #expect(heap.count == 0)
        }

        /// An element that counts how often elements were compared.
        private struct Counted: Comparable {
            final class Count {
                var value = 0
            }

            let number: Int
            let count: Count

            static func < (one: Counted, other: Counted) -> Bool {
                one.count.value += 1
                return one.number < other.number
            }

            static func == (one: Counted, other: Counted) -> Bool { one.number == other.number }
        }

        @Test("Adding and removing compare in the logarithm of the number of elements", arguments: [-1, 1, 7_919])
        func comparisons(_ stride: Int) {
            var heap = BinaryHeap<Counted>()
            let (count, elements) = (Counted.Count(), 1 << 12)
            for number in 0..<elements { heap.insert(Counted(number: number * stride % 10_007, count: count)) }
            #expect(count.value <= 12 * elements)
            count.value = 0
            while heap.popFirst() != nil {}
            #expect(count.value <= 2 * 12 * elements)
        }

        @Test("Any sequence of events gives what a sorted array gives")
        func sameAsSortedArray() async {
            await overSeeds(reaching: ["kept some", "gave"]) { random in
                var heap = BinaryHeap<Int>()
                var model: [Int] = []
                var words = Set<String>()
                for _ in 0..<200 {
                    switch random.below(20) {
                    case 0:
                        let divisor = 2 + random.below(4)
                        if model.contains(where: { $0 % divisor == 0 }) { words.insert("kept some") }
                        heap.keep { $0 % divisor != 0 }
                        model.removeAll { $0 % divisor == 0 }
                    case 1..<8:
                        let first = model.isEmpty ? nil : model.removeFirst()
                        try hold(heap.popFirst() == first, "gave another than \(first ?? -1)")
                        words.insert("gave")
                    default:
                        let element = random.below(60)
                        heap.insert(element)
                        model.append(element)
                        model.sort()
                    }
                    try hold(heap.first == model.first, "another is the first")
                    try hold(heap.count == model.count, "\(heap.count) elements, not \(model.count)")
                }
                try hold(Self.drain(&heap) == model, "the rest is not sorted")
                return words
            }
        }
    }
}
