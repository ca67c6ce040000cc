internal import CErrandSimulation
internal import ErrandLocks
internal import Foundation

/// The abilities that work in this process, determined once, and the notices about those that do not.
final class ReachAbilities: Sendable {
    /// The abilities of this process.
    static let shared = ReachAbilities(
        symbols: { errand_reach_symbols() },
        notify: { FileHandle.standardError.write(Data("\($0)\n".utf8)) })

    /// The abilities that have passed their self-test.
    let works: Simulation.Reach
    private let notify: @Sendable (String) -> Void
    private let missed = Locked<Simulation.Reach>(unobserved: .structured)

    /// Looks up the symbols, installs the hooks and tests each ability.
    ///
    /// - Parameters:
    ///   - symbols: Returns the symbols of the runtime that were found.
    ///   - notify: Reports an ability that was requested and does not work.
    init(symbols: () -> UInt32, notify: @escaping @Sendable (String) -> Void) {
        self.notify = notify
        let candidates = Self.candidates(symbols())
        guard !candidates.isEmpty else {
            self.works = .structured
            return
        }
        errand_reach_install()
        self.works = Simulation.Reach.names.map(\.ability).filter { candidates.contains($0) && ReachProbe.passes($0) }
            .reduce(.structured) { $0.union($1) }
    }

    /// Returns the requested abilities that work, and reports each of the others once.
    func restrict(_ asked: Simulation.Reach) -> Simulation.Reach {
        guard !asked.isEmpty else { return .structured }
        let news = self.missed.withLock { missed in
            let news = asked.subtracting(self.works).subtracting(missed)
            missed.formUnion(news)
            return news
        }
        for (ability, name) in Simulation.Reach.names where news.contains(ability) { self.notify(Self.notice(name)) }
        return asked.intersection(self.works)
    }

    // MARK: - Private helpers

    private static func candidates(_ symbols: UInt32) -> Simulation.Reach {
        var candidates = Simulation.Reach.structured
        if symbols & UInt32(ERRAND_REACH_TASK_CREATE) != 0 { candidates.insert(.tasks) }
        if symbols & UInt32(ERRAND_REACH_MAIN_EXECUTOR) != 0 { candidates.insert(.mainActor) }
        if symbols & UInt32(ERRAND_REACH_CLOCK) != 0 { candidates.formUnion([.sleep, .now]) }
        return candidates
    }

    private static func notice(_ name: String) -> String {
        "ErrandSimulation: \(name) does not work with this Swift runtime or this way of linking it; "
            + "simulations run without it, and the work it would capture escapes."
    }
}

extension Simulation.Reach {
    /// The abilities that work in this process; the first access tests them, which takes some milliseconds.
    public static var available: Simulation.Reach { ReachAbilities.shared.works }

    /// The part of it that is available.
    var restricted: Simulation.Reach {
        self.isEmpty ? self : ReachAbilities.shared.restrict(self)
    }
}
