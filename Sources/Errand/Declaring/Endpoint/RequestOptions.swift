/// Options of one use of an endpoint: identification, accessories, a place among others.
public struct RequestOptions: Sendable {
    /// A name to find and cancel work by, such as that of a screen; any number of requests may share one.
    public var tag: String?
    /// Anything the app wants to find again in its hooks.
    public var userInfo: [String: any Sendable]
    /// Accessories for this one, behind the client's; those of a batch or chain are not passed on to its requests.
    public var accessories: [any Accessory]
    /// The place among waiting requests; `nil` leaves it to the endpoint.
    ///
    /// That of a batch or chain is passed on to its requests, as its tag is.
    public var priority: RequestPriority?
    /// The use of the cache; that of a batch or chain is passed on to its requests.
    public var cacheUse: CacheUse

    /// The most bytes of bodies in a second, together with others that have the same limit; `nil` leaves it to
    /// the client, whose limit holds in any case.
    ///
    /// That of a batch or chain is passed on to its requests.
    public var bandwidth: BandwidthLimit?

    /// The name that the request goes by, in place of that of its endpoint's type: for one that was made from a record.
    package var name: String?

    /// Creates options.
    public init(
        tag: String? = nil, userInfo: [String: any Sendable] = [:], accessories: [any Accessory] = [],
        priority: RequestPriority? = nil, cacheUse: CacheUse = .use, bandwidth: BandwidthLimit? = nil
    ) {
        self.tag = tag
        self.userInfo = userInfo
        self.accessories = accessories
        self.priority = priority
        self.cacheUse = cacheUse
        self.bandwidth = bandwidth
    }
}
