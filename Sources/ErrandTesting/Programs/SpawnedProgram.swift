#if os(Linux) || os(macOS)
    internal import Foundation

    /// A program that the system has started, with the two pipes it writes to; belongs to the thread that started it.
    ///
    /// The system's own call is used. Foundation's `Process` reads a whole directory entry where only the beginning of
    /// one needs to be there, and ends this process with a bad access when about 1 360 files are open.
    struct SpawnedProgram: ~Copyable {
        let number: pid_t
        private let output: Int32
        private let errors: Int32

        /// One at a time, so that no program is started while the pipes of another are not yet its own.
        private static let starting = NSLock()

        /// Starts a program; it reads nothing and has no signal blocked or ignored.
        ///
        /// - Parameters:
        ///   - command: The path of the program and its arguments.
        ///   - environment: Its environment, whole.
        /// - Throws: ``ProgramError`` in the system's words when it could not be started.
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

        // MARK: - What it writes

        /// Reads what the program writes until nothing more can come, and blocks meanwhile.
        ///
        /// - Parameter body: Takes some bytes, and whether they are from its standard errors.
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
                        // The system leaves out entries with a negative number.
                        entries[index].fd = -1
                    }
                }
            }
        }

        private static func bytes(of descriptor: Int32, into buffer: inout [UInt8]) -> Int {
            unsafe buffer.withUnsafeMutableBytes { unsafe Foundation.read(descriptor, $0.baseAddress, $0.count) }
        }

        // MARK: - How it ends

        /// Blocks until the program has ended; its number is its own until ``status()`` has been asked for.
        func waitForEnd() {
            var about = unsafe siginfo_t()
            while unsafe waitid(P_PID, id_t(self.number), &about, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        }

        /// The status a program ended with, or the number of the signal that ended it; to be asked for once.
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

        /// - Returns: 0, or the number of what went wrong.
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
            // Threads of a pool block most signals, and a child would for ever.
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
            // The end is marked by a place with nothing in it.
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
