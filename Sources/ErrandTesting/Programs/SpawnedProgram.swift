#if os(Linux) || os(macOS)
    internal import Foundation

    /// A running program with its two output pipes; belongs to the thread that started it.
    ///
    /// It uses the system call directly. Foundation's `Process` reads a whole directory entry where only its beginning
    /// may exist, and crashes this process when about 1,360 files are open.
    struct SpawnedProgram: ~Copyable {
        let number: pid_t
        private let output: Int32
        private let errors: Int32

        /// Held while a program is started, so that no other program inherits its pipes.
        private static let starting = NSLock()

        /// Starts a program with empty input, and no signal blocked or ignored.
        ///
        /// - Parameters:
        ///   - command: The path of the program and its arguments.
        ///   - environment: The complete environment.
        /// - Throws: ``ProgramError`` with the system's message if it could not be started.
        init(_ command: [String], environment: [String: String]) throws(ProgramError) {
            Self.starting.lock()
            defer { Self.starting.unlock() }
            let output = try Self.pipe()
            let errors: Pipe
            do { errors = try Self.pipe() } catch {
                output.close()
                throw error
            }
            var number: pid_t = 0
            let problem = Self.spawn(
                command, environment.map { "\($0.key)=\($0.value)" }, output.writing, errors.writing, &number)
            close(output.writing)
            close(errors.writing)
            guard problem == 0 else {
                close(output.reading)
                close(errors.reading)
                throw Self.error(problem)
            }
            self.number = number
            self.output = output.reading
            self.errors = errors.reading
        }

        deinit {
            close(self.output)
            close(self.errors)
        }

        // MARK: - Output

        /// Reads the program's output to its end, and blocks meanwhile.
        ///
        /// - Parameter body: Called with bytes, and whether they are from standard error.
        func read(_ body: (_ bytes: Data, _ areErrors: Bool) -> Void) {
            var entries = [self.output, self.errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while entries.contains(where: { $0.fd >= 0 }) {
                guard unsafe poll(&entries, nfds_t(entries.count), -1) >= 0 || errno == EINTR else { return }
                for index in entries.indices where entries[index].fd >= 0 && entries[index].revents != 0 {
                    let count = Self.bytes(of: entries[index].fd, into: &buffer)
                    if count > 0 {
                        body(Data(buffer[..<count]), index == 1)
                    } else if count == 0 || errno != EINTR {
                        // The system ignores entries with a negative descriptor.
                        entries[index].fd = -1
                    }
                }
            }
        }

        private static func bytes(of descriptor: Int32, into buffer: inout [UInt8]) -> Int {
            unsafe buffer.withUnsafeMutableBytes { unsafe Foundation.read(descriptor, $0.baseAddress, $0.count) }
        }

        // MARK: - Exit

        /// Blocks until the program has ended; its process id is not reused before ``status()`` is called.
        func waitForEnd() {
            var about = unsafe siginfo_t()
            while unsafe waitid(P_PID, id_t(self.number), &about, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        }

        /// Returns the exit status, or the number of the signal that ended the program; can be called once.
        func status() -> Int32 {
            var status: Int32 = 0
            while unsafe waitpid(self.number, &status, 0) < 0 {
                if errno != EINTR { return -1 }
            }
            let signal = status & 0x7f
            return signal == 0 ? (status >> 8) & 0xff : signal
        }

        // MARK: - Starting

        private struct Pipe {
            let reading: Int32
            let writing: Int32

            func close() {
                _ = [self.reading, self.writing].map(Foundation.close)
            }
        }

        private static func pipe() throws(ProgramError) -> Pipe {
            var ends: [Int32] = [-1, -1]
            guard unsafe Foundation.pipe(&ends) == 0 else { throw self.error(errno) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return Pipe(reading: ends[0], writing: ends[1])
        }

        private static func error(_ number: Int32) -> ProgramError {
            unsafe ProgramError(String(cString: strerror(number)))
        }

        /// - Returns: 0, or the error number.
        private static func spawn(
            _ command: [String], _ environment: [String], _ output: Int32, _ errors: Int32, _ number: inout pid_t
        ) -> Int32 {
            #if canImport(Darwin)
                var files: posix_spawn_file_actions_t?
                var attributes: posix_spawnattr_t?
            #else
                var files = unsafe posix_spawn_file_actions_t()
                var attributes = posix_spawnattr_t()
            #endif
            unsafe posix_spawn_file_actions_init(&files)
            defer { unsafe posix_spawn_file_actions_destroy(&files) }
            unsafe posix_spawnattr_init(&attributes)
            defer { unsafe posix_spawnattr_destroy(&attributes) }
            unsafe posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
            unsafe posix_spawn_file_actions_adddup2(&files, output, 1)
            unsafe posix_spawn_file_actions_adddup2(&files, errors, 2)
            let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
            unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
            // Threads of a pool block most signals, and a child would inherit that for good.
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe posix_spawnattr_setsigmask(&attributes, &signals)
            unsafe sigfillset(&signals)
            unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
            return unsafe Self.withPointers(to: command) { command in
                unsafe Self.withPointers(to: environment) { environment in
                    guard let path = unsafe command[0] else { return ENOENT }
                    return unsafe posix_spawn(&number, path, &files, &attributes, command, environment)
                }
            }
        }

        private static func withPointers<Result>(
            to texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
        ) -> Result {
            let copies = unsafe texts.map { unsafe strdup($0) }
            // The array is terminated by a null pointer.
            let places = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
            unsafe places.initialize(repeating: nil, count: texts.count + 1)
            for index in texts.indices { unsafe places[index] = unsafe copies[index] }
            defer {
                for index in texts.indices { unsafe free(places[index]) }
                unsafe places.deallocate()
            }
            return unsafe body(places)
        }
    }
#endif
