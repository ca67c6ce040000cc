extension CacheEntry {
    /// Returns true if the entry was stored for the given scope, or without a scope if it is `nil`.
    func isStored(for scope: String?) -> Bool {
        scope.map { self.scope?.matches($0) == true } ?? (self.scope == nil)
    }

    /// The scope of a cached response, in a form that can be compared but not read.
    public struct Scope: Sendable, Hashable {
        /// Random bytes that make equal scopes look different in each entry.
        package let salt: [UInt8]
        package let digest: SHA256

        /// Creates a scope from a value such as a user ID.
        public init(_ value: String) {
            var generator = SystemRandomNumberGenerator()
            self.init(value, salt: (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }

        private init(_ value: String, salt: [UInt8]) {
            self.salt = salt
            self.digest = SHA256(of: salt + Array(value.utf8))
        }

        /// Recreates a stored scope.
        package init(salt: [UInt8], digest: SHA256) {
            self.salt = salt
            self.digest = digest
        }

        /// Returns a Boolean value that indicates whether the scope was created from the given value.
        public func matches(_ value: String) -> Bool {
            CacheEntry.Scope(value, salt: self.salt).digest == self.digest
        }
    }
}
