/// The networks of the machine at one moment.
public struct NetworkPath: Sendable, Hashable {
    /// The kind of an interface.
    ///
    /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Interface: Sendable, Hashable, CaseIterable {
        /// Ethernet or another cable.
        case wired
        /// Wi-Fi.
        case wifi
        /// Cellular.
        case cellular
        /// A tunnel, or any other kind.
        case other
    }

    /// The kinds of the interfaces that are up and have an address, except loopback.
    public var interfaces: Set<Interface>
    /// A Boolean value that indicates whether the network is expensive; on Linux, only a cellular one is.
    public var isExpensive: Bool
    /// A Boolean value that indicates whether the network is constrained (Low Data Mode); false on Linux.
    public var isConstrained: Bool

    /// Creates a path.
    public init(interfaces: Set<Interface>, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.interfaces = interfaces
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }

    /// No network.
    public static let none = NetworkPath(interfaces: [])

    /// A Boolean value that indicates whether there is a network, although a server may be unreachable over it.
    public var isSatisfied: Bool { !self.interfaces.isEmpty }
}

extension NetworkPath {
    /// Monitors the networks of the machine: ``NetworkPath/SystemMonitor``, or a double in tests.
    public protocol Monitor: Sendable {
        /// The current networks.
        var path: NetworkPath { get }

        /// The current networks, then each change; a slow reader gets the latest.
        var changes: AsyncStream<NetworkPath> { get }
    }
}

/// The behavior of requests without a network.
public enum ConnectivityPolicy: Sendable, Hashable {
    /// The request fails.
    case fail
    /// The request waits up to the given total time for a network.
    ///
    /// Each request is sent first. It waits only if there is no network at all, and its server could not be found or
    /// reached (``ErrandError/Code/hostNotFound``, ``ErrandError/Code/cannotConnect``), or its connection was lost and
    /// it may be sent twice. A waiting request holds no slot, and reports
    /// ``RequestActivity/Event/waitingForConnectivity``. Its total timeout keeps running. When the time is over, it
    /// fails with its first error.
    case wait(upTo: Duration)
}
