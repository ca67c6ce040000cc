/// The networks that a machine is on, at one moment.
public struct NetworkPath: Sendable, Hashable {
    /// What an interface is.
    ///
    /// More cases may be added: a `switch` over it outside of Errand needs an `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Interface: Sendable, Hashable, CaseIterable {
        /// A cable.
        case wired
        /// A wireless network.
        case wifi
        /// A network of a telephone company.
        case cellular
        /// A tunnel, or anything else.
        case other
    }

    /// The kinds of the interfaces that are up and have an address; loopback does not count.
    public var interfaces: Set<Interface>
    /// Whether the network costs money by the byte, as far as the system knows; on Linux that is a cellular one alone.
    public var isExpensive: Bool
    /// Whether the user wants it to be spared (Low Data Mode); false on Linux.
    public var isConstrained: Bool

    /// Creates a path.
    public init(interfaces: Set<Interface>, isExpensive: Bool = false, isConstrained: Bool = false) {
        self.interfaces = interfaces
        self.isExpensive = isExpensive
        self.isConstrained = isConstrained
    }

    /// No network.
    public static let none = NetworkPath(interfaces: [])

    /// Whether there is a network, which does not say that a server can be reached over it.
    public var isSatisfied: Bool { !self.interfaces.isEmpty }
}

extension NetworkPath {
    /// Knows the networks that a machine is on: ``NetworkPath/SystemMonitor``, or a double in tests.
    public protocol Monitor: Sendable {
        /// The networks now.
        var path: NetworkPath { get }

        /// The networks now, then each change; a slow reader gets the latest.
        var changes: AsyncStream<NetworkPath> { get }
    }
}

/// The policy for requests while there is no network: they fail, or wait for one.
public enum ConnectivityPolicy: Sendable, Hashable {
    /// Fails.
    case fail
    /// Waits up to the given total time for a network.
    ///
    /// Each request is tried first. If its server could not be found or reached
    /// (``ErrandError/Code/hostNotFound``, ``ErrandError/Code/cannotConnect``), or the connection of one that may be sent
    /// twice was lost, and there is no network at all, it waits: with no slot, telling so by
    /// ``RequestActivity/Event/waitingForConnectivity``. The total timeout counts meanwhile. When the time is over it fails
    /// as it did.
    case wait(upTo: Duration)
}
