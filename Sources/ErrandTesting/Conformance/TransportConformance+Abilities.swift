extension TransportConformance {
    /// What a transport may be able to do and need not.
    ///
    /// What it cannot do it refuses with `unsupported`, before anything is sent; there are cases for that too.
    public struct Abilities: OptionSet, Sendable, Hashable {
        /// One bit for each ability.
        public let rawValue: Int

        /// Creates a set of abilities from bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Hands bodies of responses over as streams.
        public static let receivesStreams = Abilities(rawValue: 1 << 0)
        /// Writes bodies of responses into files.
        public static let receivesFiles = Abilities(rawValue: 1 << 1)
        /// Sends files.
        public static let sendsFiles = Abilities(rawValue: 1 << 2)
        /// Sends streams, with and without a known length.
        public static let sendsStreams = Abilities(rawValue: 1 << 3)
        /// Sends content with `GET` and `HEAD` too.
        public static let sendsContentWithGet = Abilities(rawValue: 1 << 4)
        /// Decodes content whose coding is gzip.
        public static let decodesContent = Abilities(rawValue: 1 << 5)
        /// Keeps fields in their order, and those of one name apart, when sending and when receiving.
        public static let keepsFieldLines = Abilities(rawValue: 1 << 6)
        /// Hands the body of a response over as a stream while it sends one.
        public static let streamsBothWays = Abilities(rawValue: 1 << 7)
        /// Makes secure connections, for URLs whose scheme is https.
        public static let connectsSecurely = Abilities(rawValue: 1 << 8)

        /// Reports its connections, see `Transport.reportsConnections`.
        public static let reportsConnections = Abilities(rawValue: 1 << 9)
        /// Leaves what has come of a file when its exchange fails, see `ExchangeContext.keepsPartOfFile`.
        public static let keepsPartOfFile = Abilities(rawValue: 1 << 10)

        /// Reports interim responses, see `ExchangeEvent.interimResponse`.
        public static let reportsInterimResponses = Abilities(rawValue: 1 << 11)
        /// Receives the fields behind a body, see `HTTPResponse.trailers`.
        public static let receivesTrailers = Abilities(rawValue: 1 << 12)

        /// Everything.
        public static let all: Abilities = [
            .receivesStreams, .receivesFiles, .sendsFiles, .sendsStreams, .sendsContentWithGet, .decodesContent,
            .keepsFieldLines, .streamsBothWays, .connectsSecurely, .reportsConnections, .keepsPartOfFile,
            .reportsInterimResponses, .receivesTrailers,
        ]
    }
}
