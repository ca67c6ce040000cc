extension PlantedBug {
    static let resetDuringLoad = PlantedBug(
        "reset-during-load", depth: 3,
        "A load that was begun before a reset ends during the load after it, and is taken for that one."
    ) { isMended, _ in
        let settings = Settings(isMended: isMended)
        try await together(
            { await settings.load() },
            {
                await settings.source.set(2)
                await settings.reset()
            },
            { await settings.load() })
        await settings.load()
        try require(await settings.value == 2, else: "the settings are those of before the reset")
    }
}

private actor Source {
    private(set) var value = 1

    func set(_ value: Int) { self.value = value }
}

/// Loads once, until it is reset.
private actor Settings {
    private enum State {
        case idle
        case loading(Int)
        case loaded(Int)
    }

    let source = Source()
    private var state = State.idle
    private var loads = 0
    private let journal = Journal()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    var value: Int? {
        if case .loaded(let value) = self.state { value } else { nil }
    }

    func load() async {
        guard case .idle = self.state else { return }
        self.loads += 1
        let load = self.loads
        self.state = .loading(load)
        let value = await self.source.value
        await self.journal.note()
        // The mend: it has to be the same load.
        guard case .loading(let current) = self.state, !self.isMended || current == load else { return }
        self.state = .loaded(value)
    }

    func reset() { self.state = .idle }
}
