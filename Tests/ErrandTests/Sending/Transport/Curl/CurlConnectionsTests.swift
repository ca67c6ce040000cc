internal import ErrandMachines
internal import TestEffort
internal import Testing

@testable internal import Errand

#if os(Linux)
    @Suite("CurlConnections", .timeLimit(.minutes(60)), .paced)
    struct CurlConnectionsTests {
        private static let start = ContinuousClock.now
        private let url: HTTPURL

        init() throws {
            self.url = try HTTPURL("https://example.com/")
        }

        /// An exchange that began at 0 and was sent after so many milliseconds.
        private static func wait(
            sent: Int? = 0, moved: Int = 0, isFirst: Bool = false, isHeldBack: Bool = false
        ) -> CurlConnections.Wait {
            CurlConnections.Wait(
                began: self.start, sent: sent.map { self.start + .milliseconds($0) }, isFirst: isFirst,
                moved: self.start + .milliseconds(moved), isHeldBack: isHeldBack)
        }

        private func isDead(
            _ wait: CurlConnections.Wait, _ reason: StopReason, at time: Int, arrivals: [Int] = [],
            isProven: Bool = true
        ) -> Bool {
            let connections = CurlConnections()
            if isProven { connections.noteResponse(from: self.url, on: 7, isHTTP2: true) }
            for arrival in arrivals { connections.noteArrival(7, at: Self.start + .milliseconds(arrival)) }
            return connections.isDead(wait, on: 7, reason, at: Self.start + .milliseconds(time))
        }

        private static let deadlines: [StopReason] = [
            .attemptTimedOut(.seconds(1)), .firstByteTimedOut(.seconds(1)), .totalTimedOut(.seconds(1)),
            .idleTimedOut(.seconds(1)),
        ]

        @Test(arguments: deadlines)
        func `a deadline without a byte gives the connection up`(_ reason: StopReason) {
            #expect(self.isDead(Self.wait(), reason, at: 100))
            #expect(self.isDead(Self.wait(), reason, at: 100, arrivals: [-50]))
            // What comes at the beginning says nothing.
            #expect(self.isDead(Self.wait(), reason, at: 100, arrivals: [10, 40]))
        }

        @Test(arguments: deadlines)
        func `bytes for whatever exchange keep the connection`(_ reason: StopReason) {
            #expect(!self.isDead(Self.wait(), reason, at: 100, arrivals: [60]))
            #expect(!self.isDead(Self.wait(), reason, at: 100, arrivals: [10, 99]))
        }

        @Test func `an idle deadline counts from what moved last`() {
            #expect(self.isDead(Self.wait(moved: 900), .idleTimedOut(.seconds(1)), at: 1000, arrivals: [900]))
            #expect(!self.isDead(Self.wait(moved: 900), .attemptTimedOut(.seconds(1)), at: 1000, arrivals: [900]))
            #expect(!self.isDead(Self.wait(moved: 900), .idleTimedOut(.seconds(1)), at: 1000, arrivals: [960]))
        }

        @Test(arguments: deadlines)
        func `an exchange that waits for its reader or its content says nothing`(_ reason: StopReason) {
            #expect(!self.isDead(Self.wait(isHeldBack: true), reason, at: 100))
        }

        @Test(arguments: deadlines)
        func `a connection that was opened with the last of the time is kept`(_ reason: StopReason) {
            #expect(!self.isDead(Self.wait(sent: 90, moved: 90, isFirst: true), reason, at: 100))
            #expect(!self.isDead(Self.wait(sent: 90, moved: 90), reason, at: 100, isProven: false))
            #expect(self.isDead(Self.wait(sent: 90, moved: 90), reason, at: 100))
            #expect(self.isDead(Self.wait(sent: 40, moved: 40, isFirst: true), reason, at: 100))
        }

        @Test func `cancelled exchanges give a connection up after a second in vain, all together`() {
            let connections = CurlConnections()
            connections.noteResponse(from: self.url, on: 7, isHTTP2: true)
            let verdicts = [(0, 400), (400, 800), (800, 1000)].map { sent, time in
                connections.isDead(
                    Self.wait(sent: sent, moved: sent), on: 7, .cancelled, at: Self.start + .milliseconds(time))
            }
            #expect(verdicts == [false, false, true])
            // Bytes begin it anew.
            connections.noteArrival(7, at: Self.start - .seconds(1))
            let isDead = connections.isDead(Self.wait(), on: 7, .cancelled, at: Self.start + .milliseconds(999))
            #expect(!isDead)
        }

        @Test func `exchanges that are cancelled together have waited once`() {
            let connections = CurlConnections()
            connections.noteResponse(from: self.url, on: 7, isHTTP2: true)
            for _ in 0..<100 {
                let isDead = connections.isDead(Self.wait(), on: 7, .cancelled, at: Self.start + .milliseconds(60))
                #expect(!isDead)
            }
        }

        @Test func `a request without a connection waits for others no longer than three seconds`() {
            let wait = Self.wait(sent: nil)
            #expect(!self.isDead(wait, .attemptTimedOut(.seconds(1)), at: 2999))
            #expect(self.isDead(wait, .attemptTimedOut(.seconds(1)), at: 3000))
        }

        @Test func `a shut down gives nothing up`() {
            #expect(!self.isDead(Self.wait(), .clientShutDown, at: 100_000))
        }

        @Test func `exchanges join those of their share`() throws {
            let connections = CurlConnections()
            #expect(connections.share(of: self.url) == CurlConnections.Share())
            connections.giveUp(self.url, isOpening: true)
            #expect(connections.share(of: self.url) == CurlConnections.Share(number: 1, waits: false))
            connections.noteResponse(from: self.url, on: 7, isHTTP2: true)
            #expect(connections.share(of: self.url) == CurlConnections.Share(number: 1, waits: true))
            connections.giveUp(self.url, isOpening: false)
            #expect(connections.share(of: self.url) == CurlConnections.Share(number: 2, waits: true))
            #expect(try connections.share(of: HTTPURL("https://example.org/")) == CurlConnections.Share())
        }
    }
#endif
