internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("Caching: where, unless it is said", .timeLimit(.minutes(60)), .paced)
struct CacheChoiceTests {
    @Test func `on disk, and in memory where the transport is given`() {
        var configuration = Client.Configuration()
        #expect(configuration.cache is TieredCache)
        configuration.transport = StubTransport()
        let memory = configuration.cache as? MemoryCache
        #expect(memory != nil)
        #expect(configuration.cache as? MemoryCache === memory)
        configuration.cache = nil
        #expect(configuration.cache == nil)
        configuration.transport = nil
        #expect(configuration.cache == nil)
    }
}
