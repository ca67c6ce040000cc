import ErrandLocks

/// An account that checks its balance before it waits, and takes from it after.
actor Account {
    private(set) var balance = 100

    func withdraw(_ amount: Int) async {
        guard self.balance >= amount else { return }
        await Task.yield()
        self.balance -= amount
    }

    /// The mended one.
    func withdrawSafely(_ amount: Int) async {
        await Task.yield()
        guard self.balance >= amount else { return }
        self.balance -= amount
    }

    /// Two withdrawals of which only one is covered.
    func spend() async {
        await withTaskGroup { group in
            group.addTask(name: "rent") { await self.withdraw(70) }
            group.addTask(name: "food") { await self.withdraw(60) }
        }
    }

    /// The same, mended.
    func spendSafely() async {
        await withTaskGroup { group in
            group.addTask(name: "rent") { await self.withdrawSafely(70) }
            group.addTask(name: "food") { await self.withdrawSafely(60) }
        }
    }
}

/// Counts beyond one run, as no scenario should.
final class Counter: Sendable {
    private let state = Locked(0)

    var count: Int { self.state.withLock { $0 } }

    func increment() { self.state.withLock { $0 += 1 } }
}

struct PlantedError: Error {}
