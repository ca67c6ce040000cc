// swift-format-ignore-file

// os: the unified log, and signposts.
public import AppleFoundation

@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, visionOS 1, *)
open class OSLog: NSObject, @unchecked Sendable {
    public init(subsystem: String, category: String) {}
    open class var `default`: OSLog { fatalError() }
    open class var disabled: OSLog { fatalError() }
    @available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
    public var signpostsEnabled: Bool { false }
}

@available(macOS 10.12, iOS 10, tvOS 10, watchOS 3, visionOS 1, *)
public struct OSLogType: Equatable, RawRepresentable, Sendable {
    public let rawValue: UInt8
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let `default` = OSLogType(0x00)
    public static let info = OSLogType(0x01)
    public static let debug = OSLogType(0x02)
    public static let error = OSLogType(0x10)
    public static let fault = OSLogType(0x11)
}

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public struct OSSignpostType: Sendable {
    public static let event = OSSignpostType()
    public static let begin = OSSignpostType()
    public static let end = OSSignpostType()
}

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public struct OSSignpostID: Comparable, Sendable {
    public let rawValue: UInt64
    public init(log: OSLog) { self.rawValue = 0 }
    public init(log: OSLog, object: AnyObject) { self.rawValue = 0 }
    public init(_ value: UInt64) { self.rawValue = value }
    public static let exclusive = OSSignpostID(0)
    public static let invalid = OSSignpostID(0)
    public static let null = OSSignpostID(0)
    public static func < (a: OSSignpostID, b: OSSignpostID) -> Bool { false }
}

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {}

@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: any CVarArg...
) {}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, visionOS 1, *)
public struct OSLogPrivacy: Sendable {
    public static var `public`: OSLogPrivacy { OSLogPrivacy() }
    public static var `private`: OSLogPrivacy { OSLogPrivacy() }
    public static var sensitive: OSLogPrivacy { OSLogPrivacy() }
    public static var auto: OSLogPrivacy { OSLogPrivacy() }
}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, visionOS 1, *)
public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) {}
    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String, align: Int = 0, privacy: OSLogPrivacy = .auto
    ) {}
    public mutating func appendInterpolation<Number: FixedWidthInteger>(
        _ number: @autoclosure @escaping () -> Number, privacy: OSLogPrivacy = .auto
    ) {}
}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, visionOS 1, *)
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
    public init(stringInterpolation: OSLogInterpolation) {}
    public init(stringLiteral value: String) {}
}

@available(macOS 11, iOS 14, tvOS 14, watchOS 7, visionOS 1, *)
public struct Logger: @unchecked Sendable {
    public init() {}
    public init(subsystem: String, category: String) {}
    public init(_ logObj: OSLog) {}
    public func log(_ message: OSLogMessage) {}
    public func log(level: OSLogType, _ message: OSLogMessage) {}
    public func debug(_ message: OSLogMessage) {}
    public func info(_ message: OSLogMessage) {}
    public func notice(_ message: OSLogMessage) {}
    public func warning(_ message: OSLogMessage) {}
    public func error(_ message: OSLogMessage) {}
    public func fault(_ message: OSLogMessage) {}
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    public init(uncheckedState initialState: State) { fatalError() }
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R { fatalError() }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension OSAllocatedUnfairLock where State: Sendable {
    public init(initialState: State) { fatalError() }
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R { fatalError() }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
extension OSAllocatedUnfairLock where State == () {
    public init() { fatalError() }
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    public func lock() {}
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    public func unlock() {}
    @available(*, noasync, message: "Use async-safe scoped locking instead")
    public func lockIfAvailable() -> Bool { false }
}
