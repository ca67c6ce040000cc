#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// Gives the tests of a suite one folder, which is removed after the last of them.
    private struct SharedFolder: SuiteTrait, TestScoping {
        @TaskLocal static var current: TestFolder?

        func provideScope(
            for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
        ) async throws {
            try await Self.$current.withValue(try TestFolder()) { try await function() }
        }
    }

    extension Trait where Self == SharedFolder {
        fileprivate static var inOneFolder: Self { Self() }
    }

    /// A package outside of the repository that depends on Errand by path, as a new user has it.
    ///
    /// The first test makes it. Those after it write other sources, and find the plug-in and its program built.
    @Suite(
        "Race check: in a package of someone else (G11)", .timeLimit(.minutes(60)), .paced, .serialized, .inOneFolder,
        .enabled(
            if: TestProgram.areWanted && TestProgram(named: "swift") != nil,
            "ERRAND_PROGRAMS is not 1, or swift is not on the PATH"))
    struct RaceCheckPackageTests {
        private let folder: TestFolder
        private let swift: TestProgram

        /// What the sources of a package consist of.
        private static let sources = ["Package.swift", "Sources", "Tests", ".race-check"]

        private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()

        private static let racing = """
            public final class Counter: @unchecked Sendable {
                private var value = 0

                public init() {}

                public func add() {
                    value += 1
                }
            }

            """

        /// The sanitizer sees atomics; a `Mutex` on Linux it does not.
        private static let clean = """
            import Synchronization

            public final class Counter: Sendable {
                private let value = Atomic(0)

                public init() {}

                public func add() {
                    value.wrappingAdd(1, ordering: .relaxed)
                }
            }

            """

        /// A reader that looks, waits, and misses what came in between.
        private static let simulated = """
            import ErrandSimulationTesting
            import Testing

            actor Cache {
                private var value: Int?

                func read(isMended: Bool) async -> Bool {
                    guard self.value == nil else { return true }
                    await Task.yield()
                    return isMended || self.value == nil
                }

                func fill() { self.value = 1 }
            }

            @Test(.simulated(schedules: 10)) func wakesItsReader() async {
                let cache = Cache()
                async let isRead = cache.read(isMended: false)
                async let filled: Void = cache.fill()
                #expect(await isRead)
                await filled
            }

            @Test(.simulated(schedules: 10)) func isMended() async {
                let cache = Cache()
                async let isRead = cache.read(isMended: true)
                async let filled: Void = cache.fill()
                #expect(await isRead)
                await filled
            }

            """

        init() throws {
            self.folder = try #require(SharedFolder.current)
            self.swift = try #require(TestProgram(named: "swift"))
            for name in Self.sources { try? FileManager.default.removeItem(at: self.folder.file("app/\(name)")) }
            try self.write(
                """
                // swift-tools-version: 6.2
                import PackageDescription

                let package = Package(
                    name: "App",
                    platforms: [.macOS(.v15)],
                    dependencies: [.package(path: "\(Self.root.path)")],
                    targets: [.target(name: "App"), .testTarget(name: "AppTests", dependencies: ["App"])]
                )

                """, to: "Package.swift")
            try self.write(
                """
                import App
                import Foundation
                import Testing

                @Test func counts() {
                    let counter = Counter()
                    let threads = (0..<2).map { _ in Thread { for _ in 0..<10_000 { counter.add() } } }
                    for thread in threads { thread.start() }
                    while threads.contains(where: { !$0.isFinished }) { usleep(1_000) }
                }

                @Test func other() {}

                """, to: "Tests/AppTests/AppTests.swift")
        }

        private func write(_ text: String, to path: String) throws {
            let file = self.folder.file("app/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }

        private func raceCheck(_ arguments: String...) async throws -> ProgramResult {
            try await self.swift.run(
                ["package", "--package-path", self.folder.file("app").path, "race-check"] + arguments)
        }

        @Test func `finds what is unchecked, and the race behind it, until both are repaired`() async throws {
            try self.write(Self.racing, to: "Sources/App/Counter.swift")
            let scan = try await self.raceCheck()
            #expect(scan.status == 1, "\(scan.complaint)")
            #expect(scan.text.hasPrefix("Sources/App/Counter.swift:1:29: error: @unchecked Sendable"))
            #expect(scan.text.hasSuffix("\nrace-check: 2 files scanned, 1 new, 0 allowed\n"))

            let entries = try await self.raceCheck("--print-entries")
            try self.write(entries.text, to: ".race-check")
            let unwritten = try await self.raceCheck("--format", "github")
            #expect(unwritten.status == 1)
            #expect(unwritten.text.hasPrefix("::error file=.race-check,line=2,title=allow list%3A malformed::"))

            try self.write(entries.text + "    It is locked somewhere else.\n", to: ".race-check")
            let allowed = try await self.raceCheck()
            #expect(allowed.status == 0, "\(allowed.text)")
            #expect(allowed.text == "race-check: 2 files scanned, 0 new, 1 allowed\n")

            try await self.expectRace()

            try self.write(Self.clean, to: "Sources/App/Counter.swift")
            let stale = try await self.raceCheck()
            #expect(stale.status == 1)
            #expect(
                stale.text.hasPrefix(".race-check:2: error: there is no such finding any more"))

            try FileManager.default.removeItem(at: self.folder.file("app/.race-check"))
            let clean = try await self.raceCheck("--tests", "--iterations", "2", "--filter", "counts")
            #expect(clean.status == 0, "\(clean.text)")
            #expect(
                clean.text.hasSuffix(
                    "\nrace-check: 2 files scanned, 0 new, 0 allowed, 1 test run 2 times, 0 races\n"))
        }

        /// All that stands on the standard output is one document.
        private func expectRace() async throws {
            let result = try await self.raceCheck("--tests", "--iterations", "2", "--format", "json")
            #expect(result.status == 1)
            let object = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
            #expect(object?["exitCode"] as? Int == 1)
            let tests = try #require(object?["tests"] as? [String: Any], "\(result.text)")
            #expect(tests["iterations"] as? Int == 2)
            #expect(tests["tests"] as? Int == 2)
            #expect((tests["failures"] as? [Any])?.isEmpty == true, "\(result.text)")
            let races = try #require(tests["races"] as? [[String: Any]])
            #expect((1...3).contains(races.count))
            let stacks = try #require(races.first?["stacks"] as? [[String: Any]])
            #expect(stacks.count == 2)
            for stack in stacks {
                let frames = try #require(stack["frames"] as? [[String: Any]])
                #expect(frames.first?["file"] as? String == "Sources/App/Counter.swift")
                #expect(frames.first?["function"] as? String == "Counter.add()")
            }
        }

        @Test func `finds the least schedule in which a simulated test fails`() async throws {
            try self.write(
                """
                // swift-tools-version: 6.2
                import PackageDescription

                let package = Package(
                    name: "App",
                    platforms: [.macOS(.v15)],
                    dependencies: [.package(name: "swift-errand", path: "\(Self.root.path)")],
                    targets: [
                        .testTarget(
                            name: "AppTests",
                            dependencies: [.product(name: "ErrandSimulationTesting", package: "swift-errand")])
                    ]
                )

                """, to: "Package.swift")
            try self.write(Self.simulated, to: "Tests/AppTests/AppTests.swift")
            try self.write(
                "import Testing\n\n@Test func fails() { #expect(1 == 2) }\n", to: "Tests/AppTests/Other.swift")

            let result = try await self.raceCheck("--simulate", "--format", "github")
            #expect(result.status == 1)
            let lines = result.text.split(separator: "\n")
            try #require(lines.count == 2, "\(result.text)\(result.complaint)")
            let start = "::error file=Tests/AppTests/AppTests.swift,line=20,col=5,title=simulation::"
            #expect(lines[0].hasPrefix(start + "wakesItsReader() fails in the schedule "))
            #expect(lines[0].contains("%0ARun it again with `@Test(.simulated(replaying: \""))
            #expect(lines[1].contains(", 2 tests simulated in "))
            #expect(lines[1].hasSuffix(", 1 failing"))

            let mended = try await self.raceCheck("--simulate", "--schedules=50", "--filter", "isMended")
            #expect(mended.status == 0, "\(mended.text)")
            #expect(mended.text.hasSuffix(", 1 test simulated in 50 schedules, 0 failing\n"))
        }

        @Test func `tells from a race that tests fail, are skipped, or do not build`() async throws {
            try self.write(Self.clean, to: "Sources/App/Counter.swift")
            try self.write(
                "import Testing\n\n@Test func fails() { #expect(1 == 2) }\n", to: "Tests/AppTests/AppTests.swift")
            let failed = try await self.raceCheck("--tests", "--iterations", "1")
            #expect(failed.status == 1)
            #expect(failed.text.contains("\ntests: error: iteration 1: tests failed with status 1; see "))
            #expect(failed.complaint.contains("exit code 3"))

            try self.write(
                "import Testing\n\n@Test(.disabled()) func isOff() {}\n", to: "Tests/AppTests/AppTests.swift")
            let skipped = try await self.raceCheck("--tests", "--iterations", "1")
            #expect(skipped.text.contains("no test was run: 1 test was skipped"))
            #expect(skipped.text.hasSuffix(", 0 tests run 1 time, no race could be found in that, 1 failure\n"))
            #expect(skipped.complaint.contains("exit code 3"))

            try self.write("let a: Int = \"\"\n", to: "Tests/AppTests/AppTests.swift")
            let unbuilt = try await self.raceCheck("--tests", "--format", "github")
            #expect(unbuilt.text.hasPrefix("::error title=tests::the tests could not be built%0A"))
            #expect(unbuilt.complaint.contains("exit code 3"))
        }
    }
#endif
