import ErrandSimulation
import TestEffort
import Testing

/// The page that shows a failing schedule.
@Suite("Failure pages", .timeLimit(.minutes(60)), .paced)
struct PageTests {
    private func failure(_ body: @escaping PlantedBugs.Body) async throws -> SimulationFailure {
        try #require(try await expectFailure { try await Simulation.explore(body) })
    }

    @Test("A page has a lane for each task and marks every switch")
    func lanes() async throws {
        let failure = try await self.failure(PlantedBugs.checkThenAct)
        let page = failure.html(title: "Overdrawn")
        #expect(page.contains("<title>Overdrawn</title>"))
        #expect(page.contains("<code>a</code>"))
        #expect(page.contains("<code>b</code>"))
        #expect(page.ranges(of: "<tr class=\"switch\">").count == failure.schedule.count)
        #expect(page.ranges(of: "class=\"step ").count == failure.timeline.count)
        #expect(page.contains("PlantedError"))
        #expect(page == failure.html(title: "Overdrawn"))
    }

    @Test("Whatever a text has in it, it stays a text")
    func escapes() async throws {
        let evil = "</td><script>alert(\"1\")</script>&\u{202E}\u{0}'"
        let failure = try await self.failure { simulation in
            await withTaskGroup { group in
                group.addTask(name: evil) { simulation.trace(evil) }
            }
            struct Evil: Error, CustomStringConvertible { let description: String }
            throw Evil(description: evil)
        }
        let page = failure.html(title: evil)
        #expect(!page.contains("<script"))
        #expect(!page.unicodeScalars.contains("\u{202E}"))
        #expect(!page.unicodeScalars.contains("\u{0}"))
        #expect(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;\u{FFFD}\u{FFFD}&#39;"))
    }

    @Test("Many tasks share a lane, and of many steps the last are drawn")
    func large() async throws {
        let failure = try await self.failure { simulation in
            await withTaskGroup { group in
                for _ in 0..<100 {
                    group.addTask { for _ in 0..<50 { await simulation.yield() } }
                }
            }
            throw PlantedError()
        }
        let page = failure.html()
        #expect(page.contains("others</th>"))
        #expect(page.contains("steps before</td>"))
        #expect(page.ranges(of: "class=\"step ").count == 2_000)
    }
}
