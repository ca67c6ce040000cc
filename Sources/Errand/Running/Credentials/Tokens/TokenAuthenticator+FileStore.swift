internal import Dispatch
public import Foundation

extension TokenAuthenticator {
    /// Stores a token in a file that only its owner can read.
    ///
    /// The token is stored in plain text: on platforms with a keychain, prefer a ``TokenAuthenticator/Store`` that uses
    /// it. The file is complete or missing, whenever the process ends. Its folder must exist. A file that belongs to
    /// another user, or that others may write to, is rejected.
    ///
    /// Several processes may share one file: while one of them renews the token, the others wait for up to half a
    /// minute and use its result. The locks are files beside the token file, which exist while they are held and are
    /// released with their process. If they cannot be created, no process is held back.
    public struct FileStore: TokenAuthenticator.Store {
        /// The file.
        public let file: URL

        /// The maximum size of a token file in bytes.
        private static let limit = 1 << 20
        /// The number of attempts to acquire the renewal lock, and the pause in between.
        private static let renewalLooks = (count: 600, pause: Duration.milliseconds(50))
        /// A queue of its own: a disk or another process must not block a shared thread.
        private static let queue = DispatchQueue(label: "errand.tokens", qos: .userInitiated, attributes: .concurrent)

        /// Creates a store that uses a file.
        public init(file: URL) {
            self.file = file
        }

        /// Returns the token; `nil` if there is no file, or if it does not contain a valid token.
        ///
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed`` if the file exists but cannot be
        ///   read, is larger than a mebibyte, or may have been written by others.
        public func load() async throws(ErrandError) -> OAuthToken? {
            try await self.perform { () throws(FileProblem) in try self.token() }
        }

        /// Writes a token, replacing the previous one.
        ///
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
        public func save(_ token: OAuthToken) async throws(ErrandError) {
            try await self.perform(isChange: true) { () throws(FileProblem) in try self.write(token) }
        }

        /// Removes the file.
        ///
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
        public func remove() async throws(ErrandError) {
            try await self.perform(isChange: true) { () throws(FileProblem) in try self.write(nil) }
        }

        /// Replaces or removes the known token in one step, atomically among processes.
        ///
        /// - Returns: `true` if the file contained the known token.
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
        public func replace(_ known: OAuthToken?, with token: OAuthToken?) async throws(ErrandError) -> Bool {
            try await self.perform(isChange: true) { () throws(FileProblem) in
                guard try self.token().isSame(as: known) else { return false }
                try self.write(token)
                return true
            }
        }

        /// Renews the token while no other process does, waiting for another process for at most half a minute.
        public func whileRenewing<Value: Sendable>(_ renew: () async throws -> Value) async throws -> Value {
            let lock = await self.lockRenewal(looks: Self.renewalLooks.count)
            defer { lock?.remove(self.renewalLock) }
            return try await renew()
        }

        /// Waits a limited time for a process that renews the token: it may be suspended, or wait for this one.
        ///
        /// - Parameter looks: The number of attempts.
        /// - Returns: The lock; `nil` if it cannot be created or is not released in time.
        package func lockRenewal(looks: Int) async -> FileLock? {
            for look in 1...max(1, looks) {
                do {
                    let lock = try await self.perform { () throws(FileProblem) in
                        try FileLock(ifFree: self.renewalLock)
                    }
                    if let lock { return lock }
                    guard look < looks else { return nil }
                    // The system does not report the release of a lock.
                    try await ContinuousClock().sleep(for: Self.renewalLooks.pause)
                } catch {
                    return nil
                }
            }
            return nil
        }

        // MARK: - Files

        private var renewalLock: String { "\(self.file.path).renewal" }

        private func token() throws(FileProblem) -> OAuthToken? {
            let data = try OpenFile.contents(of: self.file.path, upTo: Self.limit)
            return data.flatMap { try? JSONDecoder().decodeJSON(OAuthToken.self, from: $0) }
        }

        private func write(_ token: OAuthToken?) throws(FileProblem) {
            guard let token else { return _ = try FileSystem.remove(self.file.path) }
            guard let data = try? JSONEncoder().encode(token) else { throw FileProblem(EINVAL) }
            try OpenFile.replace(self.file.path, with: data, by: "\(self.file.path).\(UUID().uuidString)")
        }

        /// Uses the disk on the queue.
        ///
        /// A change locks out other changes while it is made.
        private func perform<Value: Sendable>(
            isChange: Bool = false, _ work: @escaping @Sendable () throws(FileProblem) -> Value
        ) async throws(ErrandError) -> Value {
            do throws(FileProblem) {
                return try await Self.queue.perform { () throws(FileProblem) in
                    let path = "\(self.file.path).lock"
                    let lock = isChange ? try? FileLock(path) : nil
                    defer { lock?.remove(path) }
                    return try work()
                }
            } catch {
                throw ErrandError(error, "the token file \"\(self.file.lastPathComponent)\"")
            }
        }
    }
}
