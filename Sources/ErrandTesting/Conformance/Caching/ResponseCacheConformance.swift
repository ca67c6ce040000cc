public import Errand

/// Checks whether a cache meets the requirements of `ResponseCache`, with or without a test framework.
///
/// Each case gets an empty cache with a capacity of a few megabytes. With Swift Testing the whole suite is one test:
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

    /// One requirement for a cache.
    public struct Case: Sendable, Identifiable, CustomStringConvertible {
        typealias Script = @Sendable (CacheConformanceScene) async throws(ConformanceFailure) -> Void

        /// A short, stable name.
        public let id: String
        /// A description of the requirement.
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
        /// - Parameter cache: An empty cache that is not used otherwise.
        /// - Throws: ``ConformanceFailure`` if the cache violates the requirement.
        public func run(against cache: any ResponseCache) async throws(ConformanceFailure) {
            try await self.script(CacheConformanceScene(cache: cache, caseID: self.id))
        }
    }
}

extension ResponseCacheConformance.Case: Hashable {
    /// Returns whether two cases have the same id.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.id)
    }
}
