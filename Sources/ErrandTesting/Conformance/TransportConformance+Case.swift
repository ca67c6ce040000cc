public import Errand

extension TransportConformance {
    /// One thing that a transport has to do right.
    public struct Case: Sendable, Identifiable, CustomStringConvertible {
        typealias Script = @Sendable (ConformanceScene) async throws(ConformanceFailure) -> Void

        /// A short name that stays the same.
        public let id: String
        /// What is checked, in words.
        public let title: String
        /// What a transport must be able to do for the case to make sense.
        public let needs: Abilities
        /// What a transport must not be able to do for the case to make sense.
        public let lacks: Abilities

        /// How the server of the case is to be.
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

        /// Tells whether the case makes sense for a transport with certain abilities.
        public func isMeant(for abilities: Abilities) -> Bool {
            self.needs.isSubset(of: abilities) && self.lacks.isDisjoint(with: abilities)
        }

        /// Runs the case against a transport.
        ///
        /// A transport that never comes back fails the case when the time is over, or when the calling task is
        /// cancelled; what it still does then is left behind.
        ///
        /// - Parameters:
        ///   - limit: The time that all of it may take; it is there for transports that hang, and no part of any check.
        ///   - clock: What the time is measured by.
        ///   - makeTransport: Makes the transport, which is shut down in the end.
        /// - Throws: ``ConformanceFailure`` when the transport does something else than it should.
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
    /// Tells whether two cases are the same one.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id
    }

    /// Feeds the id to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.id)
    }
}
