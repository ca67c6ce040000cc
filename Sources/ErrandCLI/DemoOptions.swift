/// What `errand demo` is asked to do.
struct DemoOptions: Sendable, Hashable {
    /// How many requests the streamed batch has.
    var requests = 10_000

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
            }
        ],
        details: """
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
