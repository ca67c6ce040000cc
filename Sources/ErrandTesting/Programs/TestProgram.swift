#if os(Linux) || os(macOS)
    package import Foundation

    /// A program of the system that tests and benchmarks work with.
    ///
    ///     @Suite(.enabled(if: TestProgram.nginx != nil, "nginx is not installed"))
    package struct TestProgram: Sendable, Hashable {
        /// The web server.
        package static let nginx = TestProgram(named: "nginx")
        /// The tool for certificates.
        package static let openssl = TestProgram(named: "openssl")
        /// The client to compare with.
        package static let curl = TestProgram(named: "curl")
        /// The shell of the system.
        static let shell = TestProgram(named: "sh")
        /// What has a child end with its parent, where there is such a thing.
        static let lifeline = TestProgram(named: "setpriv")

        /// Whether tests are to start other programs: they do when `ERRAND_PROGRAMS` is 1 in the environment.
        ///
        /// They run apart from the others, which would leave little of the machine to other programs.
        package static let areWanted = ProcessInfo.processInfo.environment["ERRAND_PROGRAMS"] == "1"

        /// Where the program is.
        package let path: String

        /// Finds a program on the `PATH`, or where servers are installed to without being on everybody's.
        package init?(named name: String) {
            guard let first = Self.all(named: name).first else { return nil }
            self = first
        }

        /// Takes a program of the tests' own, which is built beside them.
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

        /// Finds the programs of a name in all those places, in the order of the `PATH`.
        static func all(named name: String) -> [TestProgram] {
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            let folders = path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin", "/sbin"]
            return folders.map { "\($0)/\(name)" }.filter(FileManager.default.isExecutableFile(atPath:))
                .map(TestProgram.init(path:))
        }

        /// Runs the program until it ends; when the calling task is cancelled, that is at once.
        ///
        /// - Parameter arguments: What it is told.
        /// - Returns: Its status and what it wrote.
        /// - Throws: ``ProgramError`` when it could not be started or the task was cancelled.
        package func run(_ arguments: [String]) async throws(ProgramError) -> ProgramResult {
            let child = try await ChildProcess.start(self, arguments)
            guard let result = await child.result() else { throw ProgramError("\(self.path) was stopped") }
            return result
        }
    }

    /// How a program ended, and what it wrote.
    package struct ProgramResult: Sendable {
        /// The status it ended with, or the number of the signal that ended it.
        package let status: Int32
        /// What it wrote to its standard output.
        package let output: Data
        /// What it wrote to its standard error.
        package let errors: Data

        /// What it wrote to its standard output, as text.
        package var text: String { String(decoding: self.output, as: UTF8.self) }
        /// What it wrote to its standard error, as text.
        package var complaint: String { String(decoding: self.errors, as: UTF8.self) }
    }
#endif
