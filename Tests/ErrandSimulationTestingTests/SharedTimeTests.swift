import TestEffort
import Testing

@testable import ErrandSimulationTesting

/// How tests share the time that the environment asks for.
@Suite("Shared time", .timeLimit(.minutes(60)), .paced)
struct SharedTimeTests {
    private func time(expecting tests: Int) -> SharedTime<Int> {
        var time = SharedTime<Int>(.seconds(60))
        for test in 0..<tests { time.expects(test) }
        return time
    }

    @Test("Tests that run at once have all the time")
    func together() {
        var time = self.time(expecting: 3)
        for test in 0..<3 { time.begins(test) }
        #expect(time.mayGoOn(from: .zero, now: .seconds(59)))
        #expect(!time.mayGoOn(from: .zero, now: .seconds(60)))
    }

    @Test("Tests that run one after the other have like parts")
    func oneByOne() {
        var time = self.time(expecting: 3)
        for test in 0..<3 {
            time.begins(test)
            let start = Duration.seconds(20 * test)
            #expect(time.mayGoOn(from: start, now: start + .seconds(19)))
            #expect(!time.mayGoOn(from: start, now: start + .seconds(20)))
            time.ends()
        }
    }

    @Test("Of twenty tests of which two run at once, each has a tenth")
    func inPairs() {
        var time = self.time(expecting: 20)
        time.begins(0)
        time.begins(1)
        #expect(time.mayGoOn(from: .zero, now: .milliseconds(5_999)))
        #expect(!time.mayGoOn(from: .zero, now: .seconds(6)))
    }

    @Test("A test that ends early leaves its time to the others")
    func early() {
        var time = self.time(expecting: 2)
        time.begins(0)
        time.ends()
        time.begins(1)
        #expect(time.mayGoOn(from: .seconds(1), now: .seconds(59)))
    }

    @Test("Cases of one test, and tests that nobody expects, have their parts too")
    func cases() {
        var time = self.time(expecting: 1)
        time.begins(0)
        time.begins(0)
        time.begins(7)
        #expect(time.mayGoOn(from: .zero, now: .seconds(59)))
        #expect(!time.mayGoOn(from: .seconds(70), now: .seconds(80)))
    }
}
