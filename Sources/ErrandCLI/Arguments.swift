/// A command line that makes no sense.
struct UsageError: Error, Hashable {
    /// What is wrong with it.
    let message: String
    /// The command that tells how it is done.
    var help = "errand --help"
}

/// One option of a command: how it is written, what it does, what the help says about it.
struct OptionDescription<Settings>: Sendable {
    /// The names, each with its dashes; the long one last.
    let names: [String]
    /// What stands for the value in the help; `nil` for an option without one.
    let value: String?
    /// What it does, in a few words.
    let summary: String
    /// Brings the option, with its value or an empty text, into the settings.
    let apply: @Sendable (inout Settings, String) throws(UsageError) -> Void

    /// Describes an option that needs a value.
    init(
        _ names: String..., value: String, _ summary: String,
        apply: @escaping @Sendable (inout Settings, String) throws(UsageError) -> Void
    ) {
        self.names = names
        self.value = value
        self.summary = summary
        self.apply = apply
    }

    /// Describes an option that is there or not.
    init(_ names: String..., flag summary: String, apply: @escaping @Sendable (inout Settings) -> Void) {
        self.names = names
        self.value = nil
        self.summary = summary
        self.apply = { settings, _ in apply(&settings) }
    }

    /// How the help writes it.
    var synopsis: String {
        self.names.joined(separator: ", ") + (self.value.map { " \($0)" } ?? "")
    }
}

/// A command: its options and what else may stand on its line.
///
/// The parser and the help both come from this.
struct CommandDescription<Settings>: Sendable {
    /// The words that call it, such as `errand get`.
    let name: String
    /// What follows the name, as in `URL… [options]`.
    let synopsis: String
    /// What it does, in a sentence or more.
    let summary: String
    let options: [OptionDescription<Settings>]
    /// What the help says after the options.
    var details = ""
    /// Brings an argument that is no option into the settings; `nil` when there can be none.
    var positional: (@Sendable (inout Settings, String) throws(UsageError) -> Void)?

    // MARK: - Parsing

    /// Reads arguments into settings; returns `nil` when they ask for help.
    func parse(_ arguments: [String], into initial: Settings) throws(UsageError) -> Settings? {
        do throws(UsageError) {
            return try self.read(arguments, into: initial)
        } catch {
            throw UsageError(message: error.message, help: "\(self.name) --help")
        }
    }

    private func read(_ arguments: [String], into initial: Settings) throws(UsageError) -> Settings? {
        var settings = initial
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help", "-h":
                return nil
            case "--":
                for argument in rest { try self.readPositional(argument, into: &settings) }
                return settings
            case _ where argument.hasPrefix("-") && argument != "-":
                try self.readOption(argument, &rest, into: &settings)
            default:
                try self.readPositional(argument, into: &settings)
            }
        }
        return settings
    }

    private func readOption(
        _ argument: String, _ rest: inout ArraySlice<String>, into settings: inout Settings
    ) throws(UsageError) {
        guard argument.hasPrefix("--") else { return try self.readLetters(argument, &rest, into: &settings) }
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (name, attached) = (parts[0], parts.count > 1 ? parts[1] : nil)
        let option = try self.option(name)
        if option.value == nil {
            guard attached == nil else { throw UsageError(message: "\(name) takes no value") }
            try option.apply(&settings, "")
        } else {
            guard let value = attached ?? rest.popFirst() else { throw UsageError(message: "\(name) needs a value") }
            try option.apply(&settings, value)
        }
    }

    /// Reads options of one letter each: flags may be followed by more of them, and a value may be attached.
    private func readLetters(
        _ argument: String, _ rest: inout ArraySlice<String>, into settings: inout Settings
    ) throws(UsageError) {
        var letters = argument.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            let option = try self.option("-\(letter)")
            guard option.value != nil else {
                try option.apply(&settings, "")
                continue
            }
            guard let value = letters.isEmpty ? rest.popFirst() : String(letters) else {
                throw UsageError(message: "-\(letter) needs a value")
            }
            return try option.apply(&settings, value)
        }
    }

    private func option(_ name: String) throws(UsageError) -> OptionDescription<Settings> {
        guard let option = self.options.first(where: { $0.names.contains(name) }) else {
            throw UsageError(message: "unknown option \"\(name)\"")
        }
        return option
    }

    private func readPositional(_ argument: String, into settings: inout Settings) throws(UsageError) {
        guard let positional = self.positional else {
            throw UsageError(message: "unexpected argument \"\(argument)\"")
        }
        try positional(&settings, argument)
    }

    // MARK: - Help

    /// The whole help, ending with a line break.
    var help: String {
        let lines = self.options.map { ($0.synopsis, $0.summary) } + [("-h, --help", "print this help")]
        let width = lines.map(\.0.count).max() ?? 0
        var text = "usage: \(self.name) \(self.synopsis)\n\n\(self.summary)\n\n"
        for (synopsis, summary) in lines {
            text += "  \(synopsis)\(String(repeating: " ", count: width - synopsis.count))   \(summary)\n"
        }
        return self.details.isEmpty ? text : text + "\n\(self.details)\n"
    }
}
