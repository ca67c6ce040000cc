internal import ErrandTesting
internal import TestEffort
internal import Testing

@testable internal import Errand

/// Random orders of what callers on several threads do: change the state, ask for a stream, tell.
@Suite("The streams of states, told by several callers at once", .timeLimit(.minutes(60)), .paced)
struct StateStreamsTests {
    /// Somebody who has changed something, and tells of it without the lock.
    private struct Teller {
        var isTelling = false
        /// The notice that it has taken, and is about to tell.
        var notice: (@Sendable () -> Void)?
    }

    private struct World {
        var streams = StateStreams()
        var tellers: [Teller] = []
        var shown = RequestState.idle
        /// The streams, each with the states that it is to have.
        var readers: [(stream: AsyncStream<RequestState>, expected: [RequestState])] = []

        mutating func change(to state: RequestState, isOver: Bool) {
            self.shown = state
            for index in self.readers.indices { self.readers[index].expected.append(state) }
            if self.streams.note(state, isOver: isOver) { self.tellers.append(Teller()) }
        }

        mutating func add(isOver: Bool) {
            let (stream, continuation) = AsyncStream.makeStream(of: RequestState.self)
            self.streams.add(continuation, showing: self.shown, isOver: isOver)
            self.readers.append((stream, [self.shown]))
            self.tellers.append(Teller())
        }

        /// Lets a teller take one step: tell what it has, then take what is next.
        mutating func advance(_ index: Int) {
            self.tellers[index].notice?()
            let notice = self.streams.next(isTelling: self.tellers[index].isTelling)
            self.tellers[index].notice = notice
            self.tellers[index].isTelling = notice != nil
            if notice == nil { self.tellers.remove(at: index) }
        }
    }

    @Test func `each reader gets each state once, in its order, and an end`() async {
        for seed in TestEffort.schedules {
            await Task.yield()
            var (random, world) = (SplitMix64(seed: seed), World())
            var coming: [RequestState] = [.running, .cached, .running, .finished]
            while !coming.isEmpty || world.readers.count < 6 {
                switch random.next(below: 4) {
                case 0 where !coming.isEmpty:
                    let state = coming.removeFirst()
                    world.change(to: state, isOver: coming.isEmpty)
                case 1: world.add(isOver: coming.isEmpty)
                default:
                    if !world.tellers.isEmpty { world.advance(random.next(below: world.tellers.count)) }
                }
                #expect(world.tellers.count { $0.isTelling } <= 1, "seed \(seed)")
            }
            while !world.tellers.isEmpty { world.advance(random.next(below: world.tellers.count)) }
            for reader in world.readers {
                #expect(await fixtureAll(reader.stream) == reader.expected, "seed \(seed)")
            }
            #expect(world.streams.count == 0, "seed \(seed)")
        }
    }
}
