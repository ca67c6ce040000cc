internal import Dispatch
public import Foundation

extension TokenAuthenticator {
    /// Keeps a token in a file that nobody but its owner can read.
    ///
    /// The token stands in it in the clear: where the platform has a keychain, a ``TokenAuthenticator/Store`` over that
    /// is the better one. The file is whole or is not there, whenever the process ends; its folder has to exist. A file
    /// of another user, or one that others may write to, is refused.
    ///
    /// Several processes may use one file: while one of them renews the token, the others wait for up to half a minute, and
    /// use what it has got. The locks for that are files beside it, for as long as they are held; they go with the process
    /// that has them. Where they cannot be made, nobody is held back.
    public struct FileStore: TokenAuthenticator.Store {
        /// The file.
        public let file: URL

        /// The most bytes of a file with a token.
        private static let limit = 1 << 20
        /// How often it looks whether the lock for renewals is free, and how long it waits in between.
        private static let renewalLooks = (count: 600, pause: Duration.milliseconds(50))
        /// A disk, or another process, must not hold up a thread that others need.
        private static let queue = DispatchQueue(label: "errand.tokens", qos: .userInitiated, attributes: .concurrent)

        /// Creates a store that keeps its token in a file.
        public init(file: URL) {
            self.file = file
        }

        /// Returns the token; `nil` where there is no file, or none that a token can be read from.
        ///
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed`` when the file is there and cannot be read,
        ///   is larger than a mebibyte, or can have been written by others.
        public func load() async throws(ErrandError) -> OAuthToken? {
            try await self.perform { () throws(FileProblem) in try self.token() }
        }

        /// Writes a token in place of the one before.
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

        /// Writes a token in place of the one that is known, or removes that; in one step, also among processes.
        ///
        /// - Returns: Whether the file had the known one.
        /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
        public func replace(_ known: OAuthToken?, with token: OAuthToken?) async throws(ErrandError) -> Bool {
            try await self.perform(isChange: true) { () throws(FileProblem) in
                guard try self.token().isSame(as: known) else { return false }
                try self.write(token)
                return true
            }
        }

        /// Renews the token while no other process does; one that has been at it for half a minute is not waited for.
        public func whileRenewing<Value: Sendable>(_ renew: () async throws -> Value) async throws -> Value {
            let lock = await self.lockRenewal(looks: Self.renewalLooks.count)
            defer { lock?.remove(self.renewalLock) }
            return try await renew()
        }

        /// Waits for the process that renews the token, but not for ever: it may have been stopped, or wait for this one.
        ///
        /// - Parameter looks: How often to look whether the lock is free.
        /// - Returns: The lock; `nil` where it cannot be made, or is not given back.
        package func lockRenewal(looks: Int) async -> FileLock? {
            for look in 1...max(1, looks) {
                do {
                    let lock = try await self.perform { () throws(FileProblem) in
                        try FileLock(ifFree: self.renewalLock)
                    }
                    if let lock { return lock }
                    guard look < looks else { return nil }
                    // Nothing tells when a lock of the system is free.
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

        /// Uses the disk on the queue; a change holds back who else compares or writes, for as long as that takes.
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
                throw ErrandError(error, "the file of the token \"\(self.file.lastPathComponent)\"")
            }
        }
    }
}
