#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Darwin)
        internal import Darwin
    #endif

    @Suite(
        "Programs of the system", .timeLimit(.minutes(60)), .paced,
        .enabled(if: TestProgram.areWanted, "ERRAND_PROGRAMS is not 1"))
    struct ChildProcessTests {
        private func shell() throws -> TestProgram {
            try #require(TestProgram(named: "sh"))
        }

        /// Whether a process is there, be it as a zombie.
        private func isThere(_ number: String) -> Bool {
            guard let number = pid_t(number) else { return false }
            return kill(number, 0) == 0
        }

        @Test func `are found by their names, or not`() throws {
            #expect(try self.shell().path.hasSuffix("/sh"))
            #expect(TestProgram(named: "errand-no-such-program") == nil)
        }

        @Test func `run to the end and tell what they wrote, and where`() async throws {
            let result = try await self.shell().run(["-c", "echo yes; echo no >&2; exit 3"])
            #expect(result.status == 3)
            #expect(result.text == "yes\n")
            #expect(result.complaint == "no\n")
        }

        @Test func `end by themselves, whatever else is started and stays`() async throws {
            let shell = try self.shell()
            try await withThrowingTaskGroup(of: ChildProcess?.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        if number.isMultiple(of: 2) {
                            return try await ChildProcess.start(shell, ["-c", "exec sleep 1000"])
                        }
                        #expect(try await shell.run(["-c", "echo \(number)"]).text == "\(number)\n")
                        return nil
                    }
                }
                // Those that stay, stay until all others have ended.
                let staying = try await group.reduce(into: []) { $0.append($1) }
                #expect(staying.compactMap(\.self).count == 20)
            }
        }

        @Test func `may write more than a pipe holds, to both sides`() async throws {
            let script = "head -c 1000000 /dev/zero >&2; head -c 2000000 /dev/zero"
            let result = try await self.shell().run(["-c", script])
            #expect(result.output.count == 2_000_000)
            #expect(result.errors.count == 1_000_000)
        }

        @Test func `are looked at line by line, while they run`() async throws {
            let child = try await ChildProcess.start(
                try self.shell(), ["-c", "printf 'a\\nready '; echo 7; exec sleep 1000"])
            #expect(await child.line { $0.hasPrefix("ready") } == "ready 7")
            child.stop()
            #expect(await child.result()?.status == SIGTERM)
        }

        @Test func `answer no line when they end without one`() async throws {
            let child = try await ChildProcess.start(try self.shell(), ["-c", "echo other"])
            #expect(await child.line { $0 == "ready" } == nil)
        }

        @Test func `are gone when they were stopped, or let go of`() async throws {
            for isStopped in [true, false] {
                var child: ChildProcess? = try await .start(try self.shell(), ["-c", "echo $$; exec sleep 1000"])
                let number = try #require(await child?.line { _ in true })
                #expect(self.isThere(number))
                if isStopped { child?.stop() }
                child?.stop()
                child = nil
                #expect(!self.isThere(number))
            }
        }

        @Test func `are gone even if they do not want to`() async throws {
            let script = "trap '' TERM; echo $$; exec sleep 1000"
            let child = try await ChildProcess.start(try self.shell(), ["-c", script])
            let number = try #require(await child.line { _ in true })
            child.stop(within: .milliseconds(10))
            #expect(!self.isThere(number))
        }

        @Test func `are gone when the task that waits for them is cancelled`() async throws {
            let folder = try TestFolder()
            let shell = try self.shell()
            let script = "echo $$ > '\(folder.file("started").path)'; exec sleep 1000"
            let task = Task { try await shell.run(["-c", script]) }
            var number = ""
            while !number.hasSuffix("\n") {
                await Task.yield()
                number = (try? String(contentsOf: folder.file("started"), encoding: .utf8)) ?? ""
            }
            task.cancel()
            await #expect(throws: ProgramError.self) { try await task.value }
            #expect(!self.isThere(number.trimmingCharacters(in: .newlines)))
        }

        #if os(Linux)
            @Test(.enabled(if: TestProgram(named: "setpriv") != nil, "setpriv is not installed"))
            func `end with this process, however it ends`() async throws {
                let result = try #require(
                    await #expect(processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]) {
                        guard let shell = TestProgram(named: "sh") else { return }
                        let child = try await ChildProcess.start(shell, ["-c", "echo $$; exec sleep 1000"])
                        let line = await child.line { _ in true } ?? "none"
                        try FileHandle.standardOutput.write(contentsOf: Data("\n\(line)\n".utf8))
                        kill(getpid(), SIGKILL)
                    })
                let lines = String(decoding: result.standardOutputContent, as: UTF8.self).split(separator: "\n")
                let number = try #require(lines.last { Int($0) != nil })
                // Who waits for it now may leave it as a zombie; the time limit of the suite ends a wait in vain.
                let file = URL(filePath: "/proc/\(number)/stat")
                while let state = try? String(contentsOf: file, encoding: .utf8), !state.contains(") Z") {
                    await Task.yield()
                }
            }
        #endif
    }
#endif
