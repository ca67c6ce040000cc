// swift-format-ignore-file

// Network.framework: paths and proxies. Since macOS 10.14, iOS 12, tvOS 12 and watchOS 5, unless it says otherwise.
public import AppleDispatch
public import AppleFoundation

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public struct NWInterface: Hashable, Sendable {
    public enum InterfaceType: Hashable, Sendable { case other, wifi, cellular, wiredEthernet, loopback }
    public let type: InterfaceType
    public let name: String
    public let index: Int
}

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public struct NWPath: Equatable, Sendable {
    public enum Status: Hashable, Sendable { case satisfied, unsatisfied, requiresConnection }
    public let status: Status
    public let availableInterfaces: [NWInterface]
    public let isExpensive: Bool
    @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)
    public var isConstrained: Bool { false }
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    public var isUltraConstrained: Bool { false }
    public let supportsIPv4: Bool
    public let supportsIPv6: Bool
    public let supportsDNS: Bool
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { false }
}

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public final class NWPathMonitor: @unchecked Sendable {
    public init() {}
    public init(requiredInterfaceType: NWInterface.InterfaceType) {}
    @available(macOS 11, iOS 14, tvOS 14, watchOS 7, visionOS 1, *)
    public init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {}
    public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)?
    public var currentPath: NWPath { fatalError() }
    public var queue: DispatchQueue? { nil }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public enum NWEndpoint: Hashable, Sendable {
    public struct Port: Hashable, RawRepresentable, ExpressibleByIntegerLiteral, Sendable {
        public let rawValue: UInt16
        public init?(_ service: String) { return nil }
        public init?(rawValue: UInt16) { return nil }
        public init(integerLiteral value: UInt16) { fatalError() }
    }
    public enum Host: Hashable, ExpressibleByStringLiteral, Sendable {
        case name(String, NWInterface?)
        public init(_ string: String) { fatalError() }
        public init(stringLiteral: String) { fatalError() }
    }
    case hostPort(host: Host, port: Port)
    case service(name: String, type: String, domain: String, interface: NWInterface?)
    case unix(path: String)
    @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)
    case url(URL)
}

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public class NWProtocolTLS {
    public class Options {
        public init() {}
    }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
public struct ProxyConfiguration: Sendable {
    public init(httpCONNECTProxy: NWEndpoint, tlsOptions: NWProtocolTLS.Options? = nil) {}
    public init(socksv5Proxy: NWEndpoint) {}
    public var allowFailover: Bool { get { false } set {} }
    public var matchDomains: [String] { get { [] } set {} }
    public var excludedDomains: [String] { get { [] } set {} }
    public mutating func applyCredential(username: String, password: String) {}
}

extension URLSessionConfiguration {
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public var proxyConfigurations: [ProxyConfiguration] { get { [] } set {} }
}
