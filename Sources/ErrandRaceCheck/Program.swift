internal import Foundation

/// Runs a command line, and returns the output and the exit status.
struct Program {
    /// The environment of the process.
    let environment: [String: String]
    /// The current folder of the process.
    let currentFolder: URL
    /// Called with output before the end.
    let print: (String) -> Void
    /// Creates the launcher of `swift`, given its path if known.
    let makeLauncher: (String?) throws(UsageError) -> any Launcher

    /// Runs the program.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Returns: The exit status.
    func run(_ arguments: [String]) -> Int32 {
        do throws(UsageError) {
            let options = try Options(parsing: arguments)
            if options.isHelp {
                self.print(Options.help)
                return Results.ExitCode.clean
            }
            return try self.check(options)
        } catch {
            self.print(Self.text(of: error, arguments))
            return Results.ExitCode.usage
        }
    }

    /// Formats an error in the requested format, as far as it can be determined from invalid arguments.
    private static func text(of error: UsageError, _ arguments: [String]) -> String {
        let words = zip([""] + arguments, arguments)
        if words.contains(where: { $1 == "--format=json" || $0 == "--format" && $1 == "json" }) {
            return JSONReport.text(of: error)
        }
        if words.contains(where: { $1 == "--format=github" || $0 == "--format" && $1 == "github" }) {
            return GitHubReport.text(of: error)
        }
        return "race-check: \(error.message); see swift package race-check --help\n"
    }

    private func check(_ options: Options) throws(UsageError) -> Int32 {
        let whole = try self.plan(options)
        let plan = try whole.limited(to: options.targets)
        let folder = PackageFolder(URL(filePath: whole.package, directoryHint: .isDirectory))
        var results = Results()
        let findings = self.scan(plan, folder, &results)
        let list = try self.allowList(options, folder)
        results.allowList = options.allowList
        results.problems = list.problems
        results.verdict = list.verdict(
            on: findings, isJudged: self.judge(plan, folder, isWhole: options.targets.isEmpty))
        for place in results.verdict.new.map(\.place) where list.count(for: place) > 0 {
            results.allowedCounts[place] = list.count(for: place)
        }
        if options.printsEntries {
            self.print(Self.entries(for: results))
            return results.exitCode
        }
        if options.runsTests { results.tests = try self.test(options, whole) }
        if options.simulates { results.simulation = try self.simulate(options, whole) }
        switch options.format {
        case .text: self.print(TextReport.text(of: results))
        case .json: self.print(JSONReport.text(of: results))
        case .github: self.print(GitHubReport.text(of: results))
        }
        return results.exitCode
    }

    // MARK: - Scanning

    private func plan(_ options: Options) throws(UsageError) -> Plan {
        if let path = options.plan { return try Plan.read(path) }
        return try Plan.find(options.packagePath.map { self.file($0).path } ?? self.currentFolder.path)
    }

    private func file(_ path: String) -> URL {
        URL(filePath: path, relativeTo: self.currentFolder).absoluteURL
    }

    private func scan(_ plan: Plan, _ folder: PackageFolder, _ results: inout Results) -> [Finding] {
        var findings: [Finding] = []
        var types: [String: SourceTypes] = [:]
        // A file can be in two targets.
        for path in Set(plan.targets.flatMap(\.files)).sorted() {
            let name = folder.relativePath(path) ?? path
            guard let data = try? Data(contentsOf: URL(filePath: path)) else {
                results.unreadable.append(name)
                continue
            }
            results.files += 1
            let source = SourceScanner(Array(data), file: name)
            findings += source.findings()
            types[path] = TypeReader.types(in: source)
        }
        var index = TypeIndex()
        for target in plan.targets {
            for path in target.files { types[path].map { index.add($0, to: target.name) } }
        }
        return findings + NearMisses(in: index).findings()
    }

    private func allowList(_ options: Options, _ folder: PackageFolder) throws(UsageError) -> AllowList {
        let url = URL(filePath: options.allowList, relativeTo: folder.url).absoluteURL
        guard FileManager.default.fileExists(atPath: url.path) else {
            // The default list is optional; a named one is not.
            guard options.allowList == Self.usualAllowList else {
                throw UsageError(message: "there is no allow list \"\(options.allowList)\"")
            }
            return AllowList()
        }
        do {
            let data = try Data(contentsOf: url)
            guard let text = String(data: data, encoding: .utf8) else {
                throw UsageError(message: "the allow list \"\(options.allowList)\" is not UTF-8")
            }
            return AllowList(parsing: text)
        } catch let error as UsageError {
            throw error
        } catch {
            throw UsageError(
                message: "the allow list \"\(options.allowList)\" cannot be read: \(error.localizedDescription)")
        }
    }

    private static let usualAllowList = ".race-check"

    /// Returns a predicate for the scanned files: if only some targets are scanned, entries about other files are not
    /// stale.
    private func judge(_ plan: Plan, _ folder: PackageFolder, isWhole: Bool) -> (String) -> Bool {
        guard !isWhole else { return { _ in true } }
        let names = Set(plan.targets.flatMap(\.files).compactMap(folder.relativePath))
        return names.contains
    }

    /// Formats the entries, each after an empty line, so that they can be appended to the list.
    private static func entries(for results: Results) -> String {
        var counts: [Place: Int] = [:]
        for finding in results.verdict.new { counts[finding.place, default: 0] += 1 }
        var seen: Set<Place> = []
        let places = results.verdict.new.map(\.place).filter { seen.insert($0).inserted }
        return places.map { place in
            let count = counts[place, default: 1]
            guard results.allowedCounts[place] != nil else { return AllowEntry.draft(for: place, count: count) }
            return
                "# The entry about \(place.rule.rawValue) in \(place.declaration) of \(place.file) needs \"count: \(count)\".\n"
        }.map { "\n" + $0 }.joined()
    }

    // MARK: - Testing

    private func test(_ options: Options, _ plan: Plan) throws(UsageError) -> TestOutcome {
        let scratch = self.scratch(options, plan)
        let package = URL(filePath: plan.package, directoryHint: .isDirectory)
        return try TestRun(
            options: options, folder: PackageFolder(package, scratch: scratch), scratch: scratch,
            environment: self.environment, launcher: try self.makeLauncher(plan.swift), progress: self.progress(options)
        ).run()
    }

    /// In a separate folder: a build without the sanitizer in place of one with it would rebuild everything.
    private func simulate(_ options: Options, _ plan: Plan) throws(UsageError) -> SimulationOutcome {
        let scratch = self.scratch(options, plan).appending(path: "simulated", directoryHint: .isDirectory)
        return try SimulationRun(
            options: options, plan: plan, scratch: scratch, environment: self.environment,
            launcher: try self.makeLauncher(plan.swift), progress: self.progress(options)
        ).run()
    }

    private func scratch(_ options: Options, _ plan: Plan) -> URL {
        options.scratchPath.map(self.file) ?? URL(filePath: plan.scratch, directoryHint: .isDirectory)
    }

    private func progress(_ options: Options) -> (String) -> Void {
        { text in
            // The other formats are a single document.
            if options.format == .text { self.print("race-check: \(text)\n") }
        }
    }
}
