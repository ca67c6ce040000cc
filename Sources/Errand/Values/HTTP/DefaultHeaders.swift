/// Header fields that are added to every request that does not have them: who asks, and what they prefer.
///
/// An endpoint's own fields go before those of ``ClientConfiguration/headers``, which go before these. To leave one out, set
/// it to nothing, or use ``off``, for a client or for one endpoint.
///
/// `Accept-Encoding` is not among them: a transport sets it to what it decodes. A request that has one of its own sends
/// that; what comes is decoded all the same.
public struct DefaultHeaders: Sendable, Hashable {
    /// The value of `User-Agent` (RFC 9110 §10.1.5), such as `Errand/0.1.0 (Linux)`.
    public var userAgent: String?
    /// The value of `Accept-Language` (RFC 9110 §12.5.4): what the user of the machine prefers, where that is known.
    public var acceptLanguage: String?
    /// Whether `Accept` tells what an endpoint takes; see ``Endpoint/decoder``.
    public var sendsAccept: Bool

    /// Creates default fields; `nil` leaves a field out.
    public init(userAgent: String?, acceptLanguage: String?, sendsAccept: Bool) {
        self.userAgent = userAgent
        self.acceptLanguage = acceptLanguage
        self.sendsAccept = sendsAccept
    }

    /// What Errand says of itself and of the machine.
    public static let standard = DefaultHeaders(
        userAgent: "Errand/\(LibraryVersion.current) (\(Self.system))",
        acceptLanguage: AcceptLanguage.ofPlatform, sendsAccept: true)

    /// None at all.
    public static let off = DefaultHeaders(userAgent: nil, acceptLanguage: nil, sendsAccept: false)

    private static var system: String {
        #if os(Linux)
            "Linux"
        #elseif os(macOS)
            "macOS"
        #elseif os(iOS)
            "iOS"
        #elseif os(tvOS)
            "tvOS"
        #elseif os(watchOS)
            "watchOS"
        #elseif os(visionOS)
            "visionOS"
        #else
            "unknown"
        #endif
    }
}
