extension PlantedBug {
    static let tornTransfer = PlantedBug(
        "torn-transfer", depth: 2,
        "An auditor adds up two accounts while money is on its way from one to the other."
    ) { isMended, _ in
        let (left, right) = (Account(100), Account(0))
        let (branch, journal) = (Permits(1), Journal())
        try await together(
            {
                // The mend, here and below: one lock for both accounts.
                if isMended { await branch.acquire() }
                await left.add(-30)
                await journal.note()
                await right.add(30)
                if isMended { await branch.release() }
            },
            {
                if isMended { await branch.acquire() }
                let sum = await left.balance + right.balance
                if isMended { await branch.release() }
                try require(sum == 100, else: "the auditor finds \(sum)")
            })
    }
}

private actor Account {
    private(set) var balance: Int

    init(_ balance: Int) { self.balance = balance }

    func add(_ amount: Int) { self.balance += amount }
}
