extension PlantedBug {
    static let dirtyFlagCleared = PlantedBug(
        "dirty-flag-cleared", depth: 3,
        "A value is written while the one before it is saved, and the flag that says so is cleared."
    ) { isMended, _ in
        let (document, journal) = (Document(isMended: isMended), Journal())
        try await together(
            { await document.save() },
            {
                await document.write(2)
                await journal.note()
                await document.save()
            })
        try require(await document.disk.value == 2, else: "the last value was never saved")
    }
}

private actor Disk {
    private(set) var value = 0

    func write(_ value: Int) { self.value = value }
}

private actor Document {
    let disk = Disk()
    private var value = 1
    private var isDirty = true
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func write(_ value: Int) {
        self.value = value
        self.isDirty = true
    }

    func save() async {
        guard self.isDirty else { return }
        // The mend: what is written from here on is not saved yet.
        if self.isMended { self.isDirty = false }
        await self.disk.write(self.value)
        if !self.isMended { self.isDirty = false }
    }
}
