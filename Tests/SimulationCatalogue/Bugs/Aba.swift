extension PlantedBug {
    static let aba = PlantedBug(
        "aba", depth: 4,
        "A stack looks unchanged to a task that compares its top, though it was emptied and refilled meanwhile."
    ) { isMended, _ in
        let (stack, journal) = (Stack(isMended: isMended), Journal())
        async let first = stack.popByComparing()
        async let second: Void = {
            guard let node = await stack.pop() else { return }
            await journal.note()
            await stack.push(node)
        }()
        async let third = stack.pop()
        let taken = [await first, await third].compactMap(\.self)
        await second
        let nodes = await stack.nodes + taken
        try require(nodes.sorted() == [1, 2, 3], else: "on the stack or taken from it: \(nodes.sorted())")
    }
}

/// A stack of numbered nodes that is changed by comparing its top with what was seen before.
private actor Stack {
    struct Top {
        let head: Int?
        let next: Int?
        let version: Int
    }

    private var head: Int? = 1
    private var next = [1: 2, 2: 3]
    private var version = 0
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    var top: Top { Top(head: self.head, next: self.head.flatMap { self.next[$0] }, version: self.version) }

    var nodes: [Int] {
        Array(
            sequence(state: self.head) { node in
                defer { node = node.flatMap { self.next[$0] } }
                return node
            })
    }

    func replace(_ top: Top) -> Bool {
        // The mend: a version is never used again, a node is.
        guard self.isMended ? self.version == top.version : self.head == top.head else { return false }
        self.head = top.next
        self.version += 1
        return true
    }

    func push(_ node: Int) {
        self.next[node] = self.head
        self.head = node
        self.version += 1
    }

    func pop() -> Int? {
        let head = self.head
        return self.replace(self.top) ? head : nil
    }

    nonisolated func popByComparing() async -> Int? {
        while true {
            let top = await self.top
            guard let head = top.head else { return nil }
            if await self.replace(top) { return head }
        }
    }
}
