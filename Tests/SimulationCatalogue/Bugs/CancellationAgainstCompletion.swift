extension PlantedBug {
    static let cancellationAgainstCompletion = PlantedBug(
        "cancellation-against-completion", depth: 2,
        "A download is cancelled, and its file deleted, while it moves the file: it still says that it is done."
    ) { isMended, _ in
        let download = Download(isMended: isMended)
        try await together({ await download.complete() }, { await download.cancel() })
        let (isDone, hasFile) = (await download.state == .done, await download.files.exists)
        try require(isDone == hasFile, else: "done: \(isDone), but there is a file: \(hasFile)")
    }
}

private actor Files {
    private(set) var exists = false

    func create() { self.exists = true }

    func delete() { self.exists = false }
}

private actor Download {
    enum State { case running, moving, done, cancelled }

    private(set) var state = State.running
    let files = Files()
    private let isMended: Bool

    init(isMended: Bool) { self.isMended = isMended }

    func complete() async {
        guard self.state == .running else { return }
        // The mend: from here on it is too late to cancel.
        if self.isMended { self.state = .moving }
        await self.files.create()
        self.state = .done
    }

    func cancel() async {
        guard self.state == .running else { return }
        self.state = .cancelled
        await self.files.delete()
    }
}
