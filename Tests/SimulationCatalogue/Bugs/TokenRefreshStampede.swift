extension PlantedBug {
    static let tokenRefreshStampede = PlantedBug(
        "token-refresh-stampede", depth: 2,
        "A request that was refused with an old token refreshes the new one."
    ) { isMended, _ in
        let tokens = Tokens(isMended: isMended)
        let request: @Sendable () async -> Void = {
            let token = await tokens.current
            if await !tokens.isAccepted(token) { await tokens.refresh(refused: token) }
        }
        try await together(request, request)
        try require(await tokens.refreshes == 1, else: "a good token was refreshed")
    }
}

private actor Tokens {
    private(set) var current = 1
    private(set) var refreshes = 0
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func isAccepted(_ token: Int) -> Bool { token > 1 && token == self.current }

    func refresh(refused: Int) {
        // The mend: only the token that was refused is refreshed.
        guard !self.isMended || refused == self.current else { return }
        self.current += 1
        self.refreshes += 1
    }
}
