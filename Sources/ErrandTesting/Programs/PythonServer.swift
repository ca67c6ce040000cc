internal import ErrandLocks

#if os(Linux) || os(macOS)
    internal import Errand
    internal import Foundation

    /// A server that is a Python script, for tests against third-party packages.
    ///
    /// The script listens on a port of 127.0.0.1 that the system chooses, and then prints a line `port NUMBER`. It runs
    /// in a temporary folder, where it may write files. It ends with ``stop()``, when it is released, and as described
    /// for ``ChildProcess``.
    package final class PythonServer: Sendable {
        /// The port on which it listens.
        package let port: UInt16
        /// The URL of its root, with a slash at its end.
        package let baseURL: String

        private let folder: TestFolder
        private let child: ChildProcess

        /// Starts a server, which accepts connections when this returns.
        ///
        /// - Parameters:
        ///   - script: The program.
        ///   - modules: The modules that it requires.
        /// - Throws: ``ProgramError`` if there is no Python with those modules or the script does not start,
        ///   `CocoaError` if it cannot be written.
        package init(_ script: String, importing modules: [String] = []) async throws {
            guard let python = await Self.interpreter(importing: modules) else {
                throw ProgramError("there is no python3 with \(modules.joined(separator: ", "))")
            }
            let folder = try TestFolder()
            try Data(script.utf8).write(to: folder.file("server.py"))
            let child = try await ChildProcess.start(python, ["-B", folder.file("server.py").path])
            let line = await child.line { $0.hasPrefix("port ") }
            guard let port = line?.split(separator: " ").last.flatMap({ UInt16($0) }) else {
                throw ProgramError("the script did not start: \(child.complaint)")
            }
            self.folder = folder
            self.child = child
            self.port = port
            self.baseURL = "http://127.0.0.1:\(port)/"
        }

        deinit {
            // Before the folder is removed, which may happen at any moment now.
            self.child.stop()
        }

        /// Ends the server and waits until it has ended; does nothing if it has.
        package func stop() {
            self.child.stop()
        }

        /// Its standard error so far, for example the reason for a 500.
        package var complaint: String { self.child.complaint }

        // MARK: - Interpreters

        /// Returns whether there is a Python with the given modules.
        package static func isPossible(importing modules: [String] = []) async -> Bool {
            await self.interpreter(importing: modules) != nil
        }

        /// The first Python on the `PATH` that has the modules: system packages belong to the system's Python, which
        /// may not be the first.
        private static func interpreter(importing modules: [String]) async -> TestProgram? {
            if let known = self.known.withLock({ $0[modules] }) { return known }
            let test = (["import sys"] + modules.map { "import \($0)" }).joined(separator: "\n")
            var found: TestProgram?
            for python in TestProgram.all(named: "python3") where found == nil {
                if (try? await python.run(["-B", "-c", test]))?.status == 0 { found = python }
            }
            // Several tasks may search at once, with the same result.
            if let found { self.known.withLock { $0[modules] = found } }
            return found
        }

        private static let known = Locked<[[String]: TestProgram]>([:])
    }
#endif
