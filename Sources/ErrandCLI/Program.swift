internal import Errand

internal import class Foundation.FileHandle

/// Runs a command line and returns the exit code: the whole program without the process around it.
struct Program: Sendable {
    /// The version that `--version` prints.
    static let version = "0.1.0"

    /// Exit codes of the program itself.
    enum ExitCode {
        static let success: Int32 = 0
        static let failure: Int32 = 1
        static let usage: Int32 = 2
    }

    let console: Console
    let interruption: Interruption
    /// True if the program may change the signals and the environment of the process.
    let ownsProcess: Bool
    /// The default timeouts of requests.
    var timeouts = Timeouts.standard
    /// The standard input.
    var input = FileHandle.standardInput

    func run(_ arguments: [String]) async -> Int32 {
        let code: Int32
        do throws(UsageError) {
            code = try await self.perform(try Command(parsing: arguments))
        } catch {
            await self.console.complain("\(error.message); see \(error.help)")
            code = ExitCode.usage
        }
        guard let reason = self.interruption.reason else { return code }
        if let message = reason.message { await self.console.complain(message) }
        return reason.exitCode
    }

    private func watchSignals() -> SignalWatch? {
        self.ownsProcess ? SignalWatch(self.interruption) : nil
    }

    private func perform(_ command: Command) async throws(UsageError) -> Int32 {
        switch command {
        case .help(let text):
            await self.console.block(text)
            return ExitCode.success
        case .version:
            await self.console.line("errand \(Self.version)")
            return ExitCode.success
        case .demo(let options):
            let file = try options.timeline.map { path throws(UsageError) in
                try TimelineFile(path, of: DemoOptions.description.name)
            }
            if options.isSimulated { return await FarDemo(console: self.console).run(into: file) }
            if self.ownsProcess { ProcessSetup.forgetProxies() }
            let watch = self.watchSignals()
            defer { withExtendedLifetime(watch) {} }
            return await Demo(
                options, drawnInto: file, console: self.console, interruption: self.interruption
            ).run()
        case .get(let options):
            // Before signals are caught, so that they end a program that waits for its input.
            let plan = try GetPlan(options, input: self.input, until: self.interruption)
            if options.printsCurl { return try await self.printCommands(plan, options) }
            let watch = self.watchSignals()
            defer { withExtendedLifetime(watch) {} }
            return try await Get(
                plan, options, self.timeouts, console: self.console, interruption: self.interruption
            ).run()
        case .upload(let options):
            let upload = try Upload(options, self.timeouts, console: self.console, interruption: self.interruption)
            let watch = self.watchSignals()
            defer { withExtendedLifetime(watch) {} }
            return await upload.run()
        case .cache(let options):
            return try await CacheCommand(options, console: self.console).run()
        }
    }

    private func printCommands(_ plan: GetPlan, _ options: GetOptions) async throws(UsageError) -> Int32 {
        var (isFine, isEmpty) = (true, true)
        for await fetch in plan.targets {
            isEmpty = false
            do throws(ErrandError) {
                let command = try GetPlan.curlCommand(fetch, showingSecrets: options.showsSecrets)
                await self.console.block(command + "\n")
            } catch {
                isFine = false
                await self.console.complain(error.message)
            }
        }
        guard !isEmpty else { throw .noURL }
        return isFine ? ExitCode.success : ExitCode.failure
    }
}
