extension PlantedBug {
    static let checkThenAct = PlantedBug(
        "check-then-act", depth: 2,
        "Two withdrawals check the balance before an await and take from it afterwards: both do."
    ) { isMended, _ in
        let account = Account(isMended: isMended)
        try await together({ await account.withdraw(70) }, { await account.withdraw(70) })
        try require(await account.balance >= 0, else: "the account is overdrawn")
    }
}

private actor Account {
    private(set) var balance = 100
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func withdraw(_ amount: Int) async {
        guard self.balance >= amount else { return }
        await self.journal.note()
        // The mend: what was checked before the await is checked again.
        guard !self.isMended || self.balance >= amount else { return }
        self.balance -= amount
    }
}
