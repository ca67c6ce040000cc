/// An error in the command line.
struct UsageError: Error, Hashable {
    /// A description of the error.
    let message: String
    /// The command that prints the relevant help.
    var help = "errand --help"
}

/// One option of a command: its names, its effect and its help text.
struct OptionDescription<Settings>: Sendable {
    /// The names, each with its dashes; the long one last.
    let names: [String]
    /// The placeholder for the value in the help; `nil` for an option without a value.
    let value: String?
    /// A short description.
    let summary: String
    /// Applies the option, with its value or an empty text, to the settings.
    let apply: @Sendable (inout Settings, String) throws(UsageError) -> Void

    /// Describes an option with a value.
    init(
        _ names: String..., value: String, _ summary: String,
        apply: @escaping @Sendable (inout Settings, String) throws(UsageError) -> Void
    ) {
        self.names = names
        self.value = value
        self.summary = summary
        self.apply = apply
    }

    /// Describes a flag.
    init(_ names: String..., flag summary: String, apply: @escaping @Sendable (inout Settings) -> Void) {
        self.names = names
        self.value = nil
        self.summary = summary
        self.apply = { settings, _ in apply(&settings) }
    }

    /// The names and the placeholder, as the help prints them.
    var synopsis: String {
        self.names.joined(separator: ", ") + (self.value.map { " \($0)" } ?? "")
    }
}

/// A command: its options and arguments.
///
/// Both the parser and the help are derived from it.
struct CommandDescription<Settings>: Sendable {
    /// The words that invoke it, such as `errand get`.
    let name: String
    /// The text after the name, as in `URL… [options]`.
    let synopsis: String
    /// A description in one or more sentences.
    let summary: String
    let options: [OptionDescription<Settings>]
    /// The help text after the options.
    var details = ""
    /// Applies a positional argument to the settings; `nil` if the command takes none.
    var positional: (@Sendable (inout Settings, String) throws(UsageError) -> Void)?

    // MARK: - Parsing

    /// Parses arguments into settings; returns `nil` if they ask for help.
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

    /// Parses single-letter options: flags may be combined, and a value may be attached.
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

    /// The complete help, ending with a line break.
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
