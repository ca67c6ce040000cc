public import Errand

/// Checks whether a cache keeps the promises of `ResponseCache`, with any test framework or none.
///
/// Each case gets an empty cache with room for a few megabytes. With Swift Testing the whole suite is one test:
///
/// ```swift
/// @Test(arguments: ResponseCacheConformance.cases)
/// func conforms(_ one: ResponseCacheConformance.Case) async throws {
///     try await one.run(against: SomeCache())
/// }
/// ```
public enum ResponseCacheConformance {
    /// All cases.
    public static let cases: [Case] = contentCases + changeCases + concurrencyCases

    /// One thing that a cache has to do right.
    public struct Case: Sendable, Identifiable, CustomStringConvertible {
        typealias Script = @Sendable (CacheConformanceScene) async throws(ConformanceFailure) -> Void

        /// A short name that stays the same.
        public let id: String
        /// What is checked, in words.
        public let title: String
        private let script: Script

        init(_ id: String, _ title: String, _ script: @escaping Script) {
            self.id = id
            self.title = title
            self.script = script
        }

        /// The id and the title.
        public var description: String { "\(self.id): \(self.title)" }

        /// Runs the case.
        ///
        /// - Parameter cache: An empty cache, used for nothing else.
        /// - Throws: ``ConformanceFailure`` when the cache does something else than it should.
        public func run(against cache: any ResponseCache) async throws(ConformanceFailure) {
            try await self.script(CacheConformanceScene(cache: cache, caseID: self.id))
        }
    }
}

extension ResponseCacheConformance.Case: Hashable {
    /// Tells whether two cases are the same one.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id
    }

    /// Feeds the id to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.id)
    }
}
