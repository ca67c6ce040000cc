/// Which kinds of networks a request may use.
///
/// Apple's systems know these kinds, and `URLSessionTransport` keeps to what is said here: a request that finds no
/// other network fails with ``ErrandError/Code/cannotConnect``. Linux does not know them, and every network is allowed.
public struct AllowedNetworks: Sendable, Hashable {
    /// Whether mobile networks may be used.
    public var cellular: Bool
    /// Whether networks may be used that the system takes to cost money, such as a mobile network or another device's.
    public var expensive: Bool
    /// Whether networks may be used that the user has set to use little data.
    public var lowData: Bool

    /// Creates permissions; all kinds are allowed but for those that are not.
    public init(cellular: Bool = true, expensive: Bool = true, lowData: Bool = true) {
        self.cellular = cellular
        self.expensive = expensive
        self.lowData = lowData
    }

    /// Returns the networks that both allow.
    package func intersection(_ other: AllowedNetworks) -> AllowedNetworks {
        AllowedNetworks(
            cellular: self.cellular && other.cellular, expensive: self.expensive && other.expensive,
            lowData: self.lowData && other.lowData)
    }

    /// All networks.
    public static let all = AllowedNetworks()
}
