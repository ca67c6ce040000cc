extension TransportConformance {
    /// The optional abilities of a transport.
    ///
    /// A transport refuses what it cannot do with `unsupported`, before anything is sent; cases without the ability
    /// check that.
    public struct Abilities: OptionSet, Sendable, Hashable {
        /// One bit for each ability.
        public let rawValue: Int

        /// Creates a set of abilities from its bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Delivers response bodies as streams.
        public static let receivesStreams = Abilities(rawValue: 1 << 0)
        /// Writes response bodies to files.
        public static let receivesFiles = Abilities(rawValue: 1 << 1)
        /// Sends files.
        public static let sendsFiles = Abilities(rawValue: 1 << 2)
        /// Sends streams, with and without a known length.
        public static let sendsStreams = Abilities(rawValue: 1 << 3)
        /// Sends content with `GET` and `HEAD` too.
        public static let sendsContentWithGet = Abilities(rawValue: 1 << 4)
        /// Decodes content with the content coding gzip.
        public static let decodesContent = Abilities(rawValue: 1 << 5)
        /// Preserves the order of fields, and keeps repeated fields separate, when sending and when receiving.
        public static let keepsFieldLines = Abilities(rawValue: 1 << 6)
        /// Delivers the response body as a stream while the request body is still being sent.
        public static let streamsBothWays = Abilities(rawValue: 1 << 7)
        /// Makes secure connections, for `https` URLs.
        public static let connectsSecurely = Abilities(rawValue: 1 << 8)

        /// Reports connections, see `Transport.reportsConnections`.
        public static let reportsConnections = Abilities(rawValue: 1 << 9)
        /// Keeps a partial file when its exchange fails, see `ExchangeContext.keepsPartOfFile`.
        public static let keepsPartOfFile = Abilities(rawValue: 1 << 10)

        /// Reports interim responses, see `ExchangeEvent.interimResponse`.
        public static let reportsInterimResponses = Abilities(rawValue: 1 << 11)
        /// Receives trailer fields, see `HTTPResponse.trailers`.
        public static let receivesTrailers = Abilities(rawValue: 1 << 12)

        /// All abilities.
        public static let all: Abilities = [
            .receivesStreams, .receivesFiles, .sendsFiles, .sendsStreams, .sendsContentWithGet, .decodesContent,
            .keepsFieldLines, .streamsBothWays, .connectsSecurely, .reportsConnections, .keepsPartOfFile,
            .reportsInterimResponses, .receivesTrailers,
        ]
    }
}
