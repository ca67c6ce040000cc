#if os(Linux) || os(macOS)
    package import Foundation

    /// A program of the system that tests and benchmarks use.
    ///
    ///     @Suite(.enabled(if: TestProgram.nginx != nil, "nginx is not installed"))
    package struct TestProgram: Sendable, Hashable {
        /// The web server.
        package static let nginx = TestProgram(named: "nginx")
        /// The certificate tool.
        package static let openssl = TestProgram(named: "openssl")
        /// The client to compare with.
        package static let curl = TestProgram(named: "curl")
        /// The shell of the system.
        static let shell = TestProgram(named: "sh")
        /// The program that ends a child with its parent, if available.
        static let lifeline = TestProgram(named: "setpriv")

        /// True if tests are to start other programs, which they do if `ERRAND_PROGRAMS` is 1 in the environment.
        ///
        /// Such tests run separately from the others, which would leave little of the machine to other programs.
        package static let areWanted = ProcessInfo.processInfo.environment["ERRAND_PROGRAMS"] == "1"

        /// The path of the program.
        package let path: String

        /// Finds a program on the `PATH`, or in the usual folders of servers that are not on it.
        package init?(named name: String) {
            guard let first = Self.all(named: name).first else { return nil }
            self = first
        }

        /// Finds a program of the tests, which is built beside them.
        package init?(besideTests name: String) {
            let places = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.executableURL].compactMap(\.self)
            let files = places.flatMap { place in
                sequence(first: place) { $0.path.count > 1 ? $0.deletingLastPathComponent() : nil }.prefix(5)
                    .map { $0.appending(path: name, directoryHint: .notDirectory).path }
            }
            guard let path = files.first(where: FileManager.default.isExecutableFile(atPath:)) else { return nil }
            self.path = path
        }

        private init(path: String) {
            self.path = path
        }

        /// Finds all programs with a name in those folders, in the order of the `PATH`.
        static func all(named name: String) -> [TestProgram] {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            let folders = path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin", "/sbin"]
            return folders.map { "\($0)/\(name)" }.filter(FileManager.default.isExecutableFile(atPath:))
                .map(TestProgram.init(path:))
        }

        /// Runs the program until it ends; if the calling task is cancelled, it is ended at once.
        ///
        /// - Parameter arguments: The arguments.
        /// - Returns: Its status and its output.
        /// - Throws: ``ProgramError`` if it could not be started or the task was cancelled.
        package func run(_ arguments: [String]) async throws(ProgramError) -> ProgramResult {
            let child = try await ChildProcess.start(self, arguments)
            guard let result = await child.result() else { throw ProgramError("\(self.path) was stopped") }
            return result
        }
    }

    /// The result of a program, with its output.
    package struct ProgramResult: Sendable {
        /// The exit status, or the number of the signal that ended it.
        package let status: Int32
        /// Its standard output.
        package let output: Data
        /// Its standard error.
        package let errors: Data

        /// Its standard output, as text.
        package var text: String { String(decoding: self.output, as: UTF8.self) }
        /// Its standard error, as text.
        package var complaint: String { String(decoding: self.errors, as: UTF8.self) }
    }
#endif
