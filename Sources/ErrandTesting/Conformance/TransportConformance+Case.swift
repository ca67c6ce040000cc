public import Errand

extension TransportConformance {
    /// One requirement for a transport.
    public struct Case: Sendable, Identifiable, CustomStringConvertible {
        typealias Script = @Sendable (ConformanceScene) async throws(ConformanceFailure) -> Void

        /// A short, stable name.
        public let id: String
        /// A description of the requirement.
        public let title: String
        /// The abilities that a transport needs for the case to apply.
        public let needs: Abilities
        /// The abilities that a transport must lack for the case to apply.
        public let lacks: Abilities

        /// The options of the case's server.
        let options: LoopbackOptions
        let script: Script

        init(
            _ id: String, _ title: String, needs: Abilities = [], lacks: Abilities = [],
            options: LoopbackOptions = LoopbackOptions(), _ script: @escaping Script
        ) {
            self.id = id
            self.title = title
            self.needs = needs
            self.lacks = lacks
            self.options = options
            self.script = script
        }

        /// The id and the title.
        public var description: String { "\(self.id): \(self.title)" }

        /// Returns whether the case applies to a transport with the given abilities.
        public func isMeant(for abilities: Abilities) -> Bool {
            self.needs.isSubset(of: abilities) && self.lacks.isDisjoint(with: abilities)
        }

        /// Runs the case against a transport.
        ///
        /// If the transport hangs, the case fails at the time limit, or when the calling task is cancelled; the hanging
        /// work is abandoned.
        ///
        /// - Parameters:
        ///   - limit: The time limit for the whole case. It only guards against transports that hang, and is not part
        ///     of any check.
        ///   - clock: The clock for the time limit.
        ///   - makeTransport: Creates the transport, which is shut down at the end.
        /// - Throws: ``ConformanceFailure`` if the transport violates the requirement.
        public func run(
            within limit: Duration = .seconds(600), on clock: any Clock<Duration> = ContinuousClock(),
            against makeTransport: @escaping @Sendable () throws -> any Transport
        ) async throws(ConformanceFailure) {
            let scene = try ConformanceScene(self, makeTransport)
            try await ConformanceRun(scene, self.script).result(within: limit, on: clock).get()
        }
    }
}

extension TransportConformance.Case: Hashable {
    /// Returns whether two cases have the same id.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.id)
    }
}
