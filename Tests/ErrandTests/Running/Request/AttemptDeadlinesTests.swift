internal import ErrandLocks
internal import ErrandMachines
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("The deadlines of an attempt, against a model", .timeLimit(.minutes(60)), .paced)
struct AttemptDeadlinesTests {
    /// Answers nothing, and tells about its connections if wanted.
    private struct Silent: Transport {
        let reportsConnections: Bool

        func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
            throw .cancelled()
        }
    }

    private final class Target: Stoppable {
        let reasons = Locked<[StopReason]>([])
        func stop(_ reason: StopReason) { self.reasons.withLock { $0.append(reason) } }
    }

    /// What has come, in time since the beginning, and what therefore passes next.
    private struct Model {
        let timeouts: Timeouts
        var awaitsConnection: Bool
        var awaitsFirstByte = true
        var lastMoved = Duration.zero
        var awaitsReader = false
        var heldBack: Set<TransferProgress.Direction> = []
        /// How much of the time since the beginning, and since something moved, the request was suspended.
        var suspended = Duration.zero
        var suspendedSinceMoved = Duration.zero

        var isIdling: Bool { !self.awaitsReader && self.heldBack.isEmpty }

        mutating func change(at now: Duration, _ change: (inout Model) -> Void) {
            let wasIdling = self.isIdling
            change(&self)
            if !wasIdling, self.isIdling { self.move(at: now) }
        }

        mutating func move(at now: Duration) { (self.lastMoved, self.suspendedSinceMoved) = (now, .zero) }

        var next: (due: Duration, reason: StopReason)? {
            var all: [(due: Duration, reason: StopReason)] = []
            if let limit = self.timeouts.attempt { all.append((limit + self.suspended, .attemptTimedOut(limit))) }
            if let limit = self.timeouts.connect, self.awaitsConnection {
                all.append((limit + self.suspended, .connectTimedOut(limit)))
            }
            if let limit = self.timeouts.firstByte, self.awaitsFirstByte {
                all.append((limit + self.suspended, .firstByteTimedOut(limit)))
            }
            if let limit = self.timeouts.idle, self.isIdling {
                all.append((self.lastMoved + self.suspendedSinceMoved + limit, .idleTimedOut(limit)))
            }
            return all.min { $0.due < $1.due }
        }

        mutating func observe(_ event: ExchangeEvent, at now: Duration) {
            switch event {
            case .connected, .sent, .interimResponse: self.awaitsConnection = false
            case .responseHead: (self.awaitsConnection, self.awaitsFirstByte) = (false, false)
            case .received: break
            case .finished, .notice: return
            }
            self.move(at: now)
        }
    }

    private static let events: [ExchangeEvent] = [
        .connected, .sent(TransferProgress(bytes: 1, total: nil)),
        .interimResponse(HTTPResponse.Head(status: 103)), .responseHead(HTTPResponse.Head(status: .ok)),
        .received(TransferProgress(bytes: 1, total: nil)), .notice("a notice"),
    ]

    /// Different lengths, so that no two pass at once.
    private func timeouts(_ random: inout SplitMix64) -> Timeouts {
        func limit(_ offset: Int) -> Duration? {
            random.next(below: 3) == 0 ? nil : .milliseconds(1_000 * random.next(below: 12) + 100 * offset)
        }
        return Timeouts(connect: limit(1), firstByte: limit(2), idle: limit(3), attempt: limit(4))
    }

    private func walk(_ seed: UInt64) async -> String {
        var random = SplitMix64(seed: seed)
        let (clock, target) = (TestClock(), Target())
        let isTold = random.next(below: 3) > 0
        let client = Client(baseURL: "https://api.test/") {
            $0.transport = Silent(reportsConnections: isTold)
            $0.environment.clock = clock
        }
        let (environment, timeouts) = (client.environment, self.timeouts(&random))
        var model = Model(timeouts: timeouts, awaitsConnection: isTold)
        let lifeline = Lifeline()
        guard let deadlines = Deadlines(ofAttempt: timeouts, environment, stopping: target, of: lifeline) else {
            #expect(model.next == nil || timeouts == .unlimited, "\(timeouts)")
            return "nothing is limited"
        }
        for _ in 0..<30 {
            let now = clock.now.offset
            switch random.next(below: 11) {
            case 0...2:
                let event = Self.events[random.next(below: Self.events.count)]
                deadlines.observe(event)
                model.observe(event, at: now)
            case 3:
                deadlines.pause()
                model.awaitsReader = true
            case 4:
                deadlines.resume()
                model.change(at: now) { $0.awaitsReader = false }
            case 5:
                let isHeldBack = random.next(below: 2) == 0
                let direction = TransferProgress.Direction.allCases[random.next(below: 2)]
                deadlines.noteHeldBack(isHeldBack, direction)
                model.change(at: now) { model in
                    if isHeldBack { model.heldBack.insert(direction) } else { model.heldBack.remove(direction) }
                }
            case 6:
                // Whatever the timer does meanwhile, nothing passes; it may be told of the end of it, or find out.
                lifeline.setSuspended(true, at: now)
                let spell = Duration.milliseconds(50 + 100 * random.next(below: 200))
                clock.advance(by: spell)
                lifeline.setSuspended(false, at: now + spell)
                (model.suspended, model.suspendedSinceMoved) = (
                    model.suspended + spell, model.suspendedSinceMoved + spell
                )
                #expect(target.reasons.withLock { $0 } == [], "too early with seed \(seed)")
            default:
                // The timer sleeps again before time goes on, as it does where nobody moves the clock by hand.
                await fixtureUntil {
                    environment.deadlines.count == 0 || clock.nextSleeperDeadline.map { $0.offset > now } ?? false
                }
                let later = now + .milliseconds(50 + 100 * random.next(below: 40))
                guard let next = model.next, next.due <= later else {
                    clock.advance(to: TestClock.Instant(offset: later))
                    continue
                }
                clock.advance(to: TestClock.Instant(offset: next.due - .milliseconds(1)))
                await fixtureUntil { clock.nextSleeperDeadline?.offset == next.due }
                #expect(target.reasons.withLock { $0 } == [], "too early with seed \(seed)")
                clock.advance(to: TestClock.Instant(offset: next.due))
                await fixtureUntil { !target.reasons.withLock { $0.isEmpty } }
                #expect(target.reasons.withLock { $0 } == [next.reason], "seed \(seed)")
                // The timer's thread may still be taking back what it set before an earlier one was set here.
                await fixtureUntil { environment.deadlines.count == 0 }
                return "\(next.reason)".prefix { $0 != "(" }.description
            }
        }
        deadlines.clear()
        await fixtureUntil { environment.deadlines.count == 0 }
        deadlines.observe(.connected)
        deadlines.pause()
        deadlines.resume()
        #expect(environment.deadlines.count == 0, "set after the end with seed \(seed)")
        #expect(target.reasons.withLock { $0 } == [], "seed \(seed)")
        return "nothing passed"
    }

    @Test func `what a limit has held back may idle again once it goes on`() async throws {
        let (clock, target, lifeline) = (TestClock(), Target(), Lifeline())
        let client = Client(baseURL: "https://api.test/") {
            $0.transport = Silent(reportsConnections: false)
            $0.environment.clock = clock
        }
        let environment = client.environment
        let deadlines = try #require(
            Deadlines(ofAttempt: Timeouts(idle: .seconds(5)), environment, stopping: target, of: lifeline))
        deadlines.noteHeldBack(true, .sending)
        await clock.waitForSleeper()
        clock.advance(by: .seconds(20))
        #expect(await fixtureHolds { environment.deadlines.count == 0 }, "it idled by the will of the limit")
        deadlines.noteHeldBack(false, .sending)
        #expect(await fixtureHolds { clock.sleeperCount == 1 })
        clock.advance(by: .milliseconds(4_999))
        #expect(target.reasons.withLock { $0 } == [])
        clock.advance(by: .milliseconds(1))
        #expect(await fixtureHolds { target.reasons.withLock { $0 } == [.idleTimedOut(.seconds(5))] })
    }

    @Test func `the one that is due passes, at its moment, whatever came before`() async {
        var ends: [String: Int] = [:]
        for seed in TestEffort.schedules { ends[await self.walk(seed), default: 0] += 1 }
        let wanted = [
            "attemptTimedOut", "connectTimedOut", "firstByteTimedOut", "idleTimedOut", "nothing passed",
            "nothing is limited",
        ]
        #expect(Set(ends.keys) == Set(wanted))
    }
}
