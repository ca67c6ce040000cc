/// The options of `errand demo`.
struct DemoOptions: Sendable, Hashable {
    /// The number of requests in the streamed batch.
    var requests = 10_000
    /// The file for the timeline.
    var timeline: String?
    /// True to play a batch and a chain with a simulated server.
    var isSimulated = false

    static let mostRequests = 1_000_000

    /// The description of the options on the command line.
    static let description = CommandDescription<DemoOptions>(
        name: "errand demo", synopsis: "[options]",
        summary: """
            Plays seven scenes against a local server: one request, a batch of four types, a batch that fails fast, a
            batch that collects everything, a chain, a cancelled request, a streamed batch. Prints the hooks that run,
            indented by nesting, and checks the outcome of each scene.
            """,
        options: [
            OptionDescription("--requests", value: "N", "the size of the streamed batch (default 10000)") {
                (options, text) throws(UsageError) in options.requests = try Self.requests(text)
            },
            OptionDescription("--timeline", value: "FILE", "draw a timeline into an .svg or .html file") {
                options, text in options.timeline = text
            },
            OptionDescription("--simulated", flag: "play only a batch and a chain, with a simulated distant server") {
                $0.isSimulated = true
            },
        ],
        details: """
            With --timeline the waterfall of all scenes but the streamed batch is drawn when they have ended. The file
            appears when it is complete, and replaces one with the same name.

            With --simulated nothing is sent and no time passes: the result is the same each time.

            Proxies from the environment are not used.

            Exit status: 0 all outcomes were as expected, 1 at least one was not, 2 invalid command line, 130
            interrupted.
            """)

    private static func requests(_ text: String) throws(UsageError) -> Int {
        guard let number = Int(text), (1...Self.mostRequests).contains(number) else {
            throw UsageError(
                message: "--requests needs a whole number from 1 to \(Self.mostRequests), not \"\(text)\"")
        }
        return number
    }
}
