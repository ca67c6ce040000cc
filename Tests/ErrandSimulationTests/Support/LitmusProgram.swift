import ErrandLocks
import ErrandSimulation

/// A small program of a few tasks that share actors, locks, gates, handles and a clock, made from a seed.
///
/// Its outcome is what each task has seen, in the order in which it has seen it.
struct LitmusProgram: Sendable, CustomStringConvertible {
    /// A thing that a task does.
    indirect enum Operation: Sendable {
        case visit(Int)
        case visitTwice(Int)
        case visitAndSetFlag(Int)
        case lock(Int)
        case setFlag
        case readFlag
        case wait(Int)
        case open(Int)
        case waitSafely(Int)
        case sleep(Int)
        case now
        case advance
        case yield
        case cancel(Int)
        case isCancelled
        case isHandleCancelled(Int)
        case start(Int, [Operation])
        case startOn(Int)
        case join(Int)
        case group([[Operation]])
        case asyncLet([Operation])
        case handler(Int)
        case through(Int)
    }

    let tasks: [[Operation]]

    var description: String { self.tasks.map { "\($0)" }.joined(separator: "\n") }

    /// Creates a program of the operations of its tasks.
    init(_ tasks: [Operation]...) {
        self.init(tasks: tasks)
    }

    /// Creates a program of the operations of its tasks.
    init(tasks: [[Operation]]) {
        self.tasks = tasks
    }

    /// Creates a random program.
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - count: The number of operations.
    init(seed: UInt64, count: Int) {
        var random = SplitMix64(seed: seed)
        var tasks: [[Operation]] = [[], []]
        if random.next(below: 3) == 0 { tasks.append([]) }
        for _ in 0..<count {
            tasks[random.next(below: tasks.count)].append(Self.operation(&random, depth: 0))
        }
        self.tasks = tasks
    }

    private static func operation(_ random: inout SplitMix64, depth: Int) -> Operation {
        let which = random.next(below: 2)
        let nested = (0..<1 + random.next(below: 2)).map { _ in
            depth == 0 ? Self.operation(&random, depth: 1) : Operation.visit(which)
        }
        switch random.next(below: depth == 0 ? 27 : 17) {
        case 0, 1: return .visit(which)
        case 2: return .visitTwice(which)
        case 3: return .lock(which)
        case 4: return .setFlag
        case 5: return .readFlag
        case 6: return .wait(which)
        case 7: return .open(which)
        case 8: return .waitSafely(which)
        case 9: return .sleep(1 + which)
        case 10: return .now
        case 11: return .yield
        case 12: return .cancel(which)
        case 13: return .isCancelled
        case 14: return .startOn(which)
        case 15: return .join(which)
        case 16: return .through(which)
        case 17: return .start(which, nested)
        case 18: return .group([nested])
        case 19: return .group([nested, nested])
        case 20: return .asyncLet(nested)
        case 21: return .handler(which)
        case 22: return .advance
        case 23: return .asyncLet([.isCancelled] + nested)
        case 24: return .asyncLet([.group([nested])])
        case 25: return .group([[.asyncLet([.group([[.isCancelled]])])], []])
        default: return .isHandleCancelled(which)
        }
    }

    /// The scenario.
    var body: @Sendable (Simulation.Context) async throws -> Void {
        { simulation in
            guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
            let world = World(simulation)
            let seen = await withTaskGroup(of: (Int, [String]).self) { group in
                for (index, operations) in self.tasks.enumerated() {
                    group.addTask { (index, await world.run(operations, "\(index)")) }
                }
                var seen = [[String]](repeating: [], count: self.tasks.count)
                for await (index, lines) in group { seen[index] = lines }
                return seen
            }
            simulation.reached(seen.map { $0.joined(separator: ",") }.joined(separator: "|"))
        }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private struct World: Sendable {
    private let simulation: Simulation.Context
    private let rooms = [Room(), Room()]
    private let gates = [Doorway(), Doorway()]
    private let shelf = Shelf()

    init(_ simulation: Simulation.Context) {
        self.simulation = simulation
    }

    func run(_ operations: [LitmusProgram.Operation], _ name: String) async -> [String] {
        var seen: [String] = []
        for operation in operations { seen.append(await self.run(operation, name)) }
        return seen
    }

    private func run(_ operation: LitmusProgram.Operation, _ name: String) async -> String {
        switch operation {
        case .visit(let room): return await self.rooms[room].visit(name)
        case .visitAndSetFlag(let room): return await self.rooms[room].visit(name, setting: self.shelf)
        case .visitTwice(let room): return await self.rooms[room].visitTwice(name)
        case .through(let room): return await self.rooms[room].through(self.rooms[1 - room], name)
        case .lock(let shelf): return self.shelf.note(name, on: shelf)
        case .setFlag: return "set\(self.shelf.flag.set())"
        case .readFlag: return "flag\(self.shelf.flag.isSet)"
        case .wait(let gate): return await self.gates[gate].wait(safely: false)
        case .waitSafely(let gate): return await self.gates[gate].wait(safely: true)
        case .open(let gate): return await self.gates[gate].open()
        case .sleep(let time):
            let isWoken: Void? = try? await self.simulation.clock.sleep(for: .seconds(time))
            return isWoken == nil ? "cancelled" : "slept"
        case .now: return "\(self.simulation.clock.now.offset)"
        case .advance:
            self.simulation.clock.advance(by: .seconds(1))
            return ""
        case .yield:
            await self.simulation.yield()
            return ""
        case .cancel(let handle):
            self.shelf.task(handle)?.cancel()
            return ""
        case .isCancelled: return "cancelled\(Task.isCancelled)"
        case .isHandleCancelled(let handle): return "handle\(self.shelf.task(handle)?.isCancelled ?? false)"
        case .start(let handle, let operations):
            let (world, name) = (self, name + "s")
            // Joined by handle, or left to end by itself.
            let task = Task(executorPreference: self.simulation.executor) {
                await world.run(operations, name).joined(separator: "+")
            }
            return self.shelf.put(task, handle)
        case .startOn(let room):
            self.shelf.put(await self.rooms[room].start(self.shelf, name + "i"), room)
            return ""
        case .join(let handle): return await self.shelf.task(handle)?.value ?? "none"
        case .group(let parts): return await self.group(parts, name)
        case .asyncLet(let operations):
            async let lines = self.run(operations, name + "l")
            let first = await self.rooms[0].visit(name)
            return await "\(first)(\(lines.joined(separator: "+")))"
        case .handler(let gate):
            let shelf = self.shelf
            return await withTaskCancellationHandler {
                await self.gates[gate].wait(safely: true)
            } onCancel: {
                _ = shelf.note(name, on: gate)
            }
        }
    }

    private func group(_ parts: [[LitmusProgram.Operation]], _ name: String) async -> String {
        await withTaskGroup(of: String.self) { group in
            for (index, part) in parts.enumerated() {
                group.addTask { await self.run(part, "\(name)\(index)").joined(separator: "+") }
            }
            var lines: [String] = []
            for await line in group {
                lines.append(line)
                if lines.count == 1 { group.cancelAll() }
            }
            return "{\(lines.joined(separator: ";"))}"
        }
    }
}

/// An actor that remembers its visitors.
private actor Room {
    private var visitors = ""

    func visit(_ name: String) -> String {
        self.visitors += name
        return self.visitors
    }

    func visit(_ name: String, setting shelf: Shelf) -> String {
        shelf.flag.set()
        return self.visit(name)
    }

    func visitTwice(_ name: String) async -> String {
        let first = self.visit(name)
        await Task.yield()
        return first + self.visit(name)
    }

    func through(_ other: Room, _ name: String) async -> String {
        let first = self.visit(name)
        let second = await other.visit(name)
        return first + second + self.visit(name)
    }

    /// Starts a task on this actor; it runs within the step that starts it, or later.
    func start(_ shelf: Shelf, _ name: String) -> Task<String, Never> {
        // Joined by handle, or left to end by itself; it never leaves the actor.
        Task {
            let first = self.visit(name)
            await withCheckedContinuation { continuation in
                if let other = shelf.exchange(continuation) { other.resume() }
            }
            return first + self.visit(name) + "\(Task.isCancelled)"
        }
    }
}

/// A gate behind an actor.
private actor Doorway {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait(safely: Bool) async -> String {
        if self.isOpen { return "open" }
        if safely, Task.isCancelled { return "cancelled" }
        await withCheckedContinuation { self.waiting.append($0) }
        return "opened"
    }

    func open() -> String {
        self.isOpen = true
        let waiting = self.waiting
        self.waiting = []
        for continuation in waiting { continuation.resume() }
        return "\(waiting.count)"
    }
}

/// State behind locks.
private final class Shelf: Sendable {
    let flag = AtomicFlag()
    private let notes = [Notes(), Notes()]
    private let handles = Locked<[Int: Task<String, Never>]>([:])
    private let parked = Locked<CheckedContinuation<Void, Never>?>(nil)

    private final class Notes: Sendable {
        let text = Locked("")
    }

    func note(_ name: String, on index: Int) -> String {
        self.notes[index].text.withLock { text in
            text += name
            return text
        }
    }

    func task(_ handle: Int) -> Task<String, Never>? { self.handles.withLock { $0[handle] } }

    @discardableResult
    func put(_ task: Task<String, Never>, _ handle: Int) -> String {
        self.handles.withLock { $0.updateValue(task, forKey: handle) == nil ? "" : "replaced" }
    }

    /// Parks a continuation, and returns the one that was parked before.
    func exchange(_ continuation: CheckedContinuation<Void, Never>) -> CheckedContinuation<Void, Never>? {
        self.parked.withLock { parked in
            defer { parked = continuation }
            return parked
        }
    }
}
