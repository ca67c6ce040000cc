extension CacheEntry {
    /// Tells whether it was stored for a scope, or, without one, for none.
    func isStored(for scope: String?) -> Bool {
        scope.map { self.scope?.matches($0) == true } ?? (self.scope == nil)
    }

    /// Whom a stored response is for, so that it can be compared with, but not read.
    public struct Scope: Sendable, Hashable {
        /// Random bytes, so that equal scopes look different in each entry.
        package let salt: [UInt8]
        package let digest: SHA256

        /// Makes a scope of a value such as the id of a user.
        public init(_ value: String) {
            var generator = SystemRandomNumberGenerator()
            self.init(value, salt: (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }

        private init(_ value: String, salt: [UInt8]) {
            self.salt = salt
            self.digest = SHA256(of: salt + Array(value.utf8))
        }

        /// Takes a scope as it was stored.
        package init(salt: [UInt8], digest: SHA256) {
            self.salt = salt
            self.digest = digest
        }

        /// Tells whether it was made of this value.
        public func matches(_ value: String) -> Bool {
            CacheEntry.Scope(value, salt: self.salt).digest == self.digest
        }
    }
}
