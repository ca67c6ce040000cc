/// What `errand demo` is asked to do.
struct DemoOptions: Sendable, Hashable {
    /// How many requests the streamed batch has.
    var requests = 10_000
    /// The file that what ran when is drawn into.
    var timeline: String?
    /// Whether a batch and a chain are played with a server that is only simulated.
    var isSimulated = false

    static let mostRequests = 1_000_000

    /// How the command line says all that.
    static let description = CommandDescription<DemoOptions>(
        name: "errand demo", synopsis: "[options]",
        summary: """
            Plays seven scenes against a server of its own on this machine: one request, a batch of four types, a batch
            that fails fast, a batch that collects everything, a chain, a cancelled request, a streamed batch. Prints
            the hooks that run, indented by what they belong to, and checks what comes of each scene.
            """,
        options: [
            OptionDescription("--requests", value: "N", "how many requests the streamed batch has (default 10000)") {
                (options, text) throws(UsageError) in options.requests = try Self.requests(text)
            },
            OptionDescription("--timeline", value: "FILE", "draw what ran when, into an .svg or .html file") {
                options, text in options.timeline = text
            },
            OptionDescription("--simulated", flag: "play only a batch and a chain, with a simulated far server") {
                $0.isSimulated = true
            },
        ],
        details: """
            With --timeline the waterfall of all scenes but the streamed batch is drawn when they are over. The file is
            there when it is complete, in place of one that had its name.

            With --simulated nothing is sent and no time passes: the same comes out each time.

            Proxies that the environment names are not used.

            Exit status: 0 all came out as it should, 1 something did not, 2 the command line makes no sense,
            130 interrupted.
            """)

    private static func requests(_ text: String) throws(UsageError) -> Int {
        guard let number = Int(text), (1...Self.mostRequests).contains(number) else {
            throw UsageError(
                message: "--requests needs a whole number from 1 to \(Self.mostRequests), not \"\(text)\"")
        }
        return number
    }
}
