/// Header fields about the client that are added to every request without them.
///
/// An endpoint's own fields override those of ``ClientConfiguration/headers``, which override these. To omit one, set
/// it to `nil`, or use ``off``, for a client or for one endpoint.
///
/// `Accept-Encoding` is not included: a transport sets it to the codings that it decodes. The field of a request
/// overrides that; responses are decoded in any case.
public struct DefaultHeaders: Sendable, Hashable {
    /// The value of `User-Agent` (RFC 9110 §10.1.5), such as `Errand/0.1.0 (Linux)`.
    public var userAgent: String?
    /// The value of `Accept-Language` (RFC 9110 §12.5.4): the user's preferred languages, if known.
    public var acceptLanguage: String?
    /// A Boolean value that indicates whether `Accept` names the media types of an endpoint; see ``Endpoint/decoder``.
    public var sendsAccept: Bool

    /// Creates default fields; `nil` omits a field.
    public init(userAgent: String?, acceptLanguage: String?, sendsAccept: Bool) {
        self.userAgent = userAgent
        self.acceptLanguage = acceptLanguage
        self.sendsAccept = sendsAccept
    }

    /// The library and system, and the user's languages.
    public static let standard = DefaultHeaders(
        userAgent: "Errand/\(LibraryVersion.current) (\(Platform.name))",
        acceptLanguage: AcceptLanguage.ofPlatform, sendsAccept: true)

    /// No default fields.
    public static let off = DefaultHeaders(userAgent: nil, acceptLanguage: nil, sendsAccept: false)
}
