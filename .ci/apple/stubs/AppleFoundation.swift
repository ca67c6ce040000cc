// swift-format-ignore-file

// The parts of Foundation that exist only on Apple platforms: URLSession, which is a separate module on Linux, and its
// exports. Signatures as Swift imports them from <Foundation/NSURLSession.h> and its relatives.
@_exported public import AppleDispatch
@_exported public import Darwin
@_exported public import Foundation
@_exported public import Security

public struct URLRequest: Hashable, Sendable, CustomStringConvertible {
    public typealias CachePolicy = NSURLRequest.CachePolicy
    public typealias NetworkServiceType = NSURLRequest.NetworkServiceType
    public init(
        url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60.0
    ) {}
    public var url: URL? { get { nil } set {} }
    public var cachePolicy: CachePolicy { get { .useProtocolCachePolicy } set {} }
    public var timeoutInterval: TimeInterval { get { 0 } set {} }
    public var mainDocumentURL: URL? { get { nil } set {} }
    public var networkServiceType: NetworkServiceType { get { .default } set {} }
    public var allowsCellularAccess: Bool { get { true } set {} }
    @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)
    public var allowsExpensiveNetworkAccess: Bool { get { true } set {} }
    @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)
    public var allowsConstrainedNetworkAccess: Bool { get { true } set {} }
    @available(macOS 26.1, iOS 26.1, tvOS 26.1, watchOS 26.1, visionOS 26.1, *)
    public var allowsUltraConstrainedNetworkAccess: Bool { get { true } set {} }
    @available(macOS 11.3, iOS 14.5, tvOS 14.5, watchOS 7.4, visionOS 1, *)
    public var assumesHTTP3Capable: Bool { get { false } set {} }
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public var cookiePartitionIdentifier: String? { get { nil } set {} }
    public var httpMethod: String? { get { nil } set {} }
    public var allHTTPHeaderFields: [String: String]? { get { nil } set {} }
    public func value(forHTTPHeaderField field: String) -> String? { nil }
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
    public var httpBody: Data? { get { nil } set {} }
    public var httpBodyStream: InputStream? { get { nil } set {} }
    public var httpShouldHandleCookies: Bool { get { true } set {} }
    public var httpShouldUsePipelining: Bool { get { true } set {} }
    public var description: String { "" }
}

open class NSURLRequest: NSObject, @unchecked Sendable {
    public enum CachePolicy: UInt, Sendable {
        case useProtocolCachePolicy = 0
        case reloadIgnoringLocalCacheData = 1
        case returnCacheDataElseLoad = 2
        case returnCacheDataDontLoad = 3
        case reloadIgnoringLocalAndRemoteCacheData = 4
        case reloadRevalidatingCacheData = 5
    }
    public enum NetworkServiceType: UInt, Sendable {
        case `default` = 0
        case video = 2
        case background = 3
        case responsiveData = 6
        case responsiveAV = 9
    }
}

open class URLResponse: NSObject, @unchecked Sendable {
    public init(url URL: URL, mimeType MIMEType: String?, expectedContentLength length: Int, textEncodingName name: String?) {}
    open var url: URL? { nil }
    open var mimeType: String? { nil }
    open var expectedContentLength: Int64 { 0 }
    open var textEncodingName: String? { nil }
    open var suggestedFilename: String? { nil }
}

open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    public init?(url: URL, statusCode: Int, httpVersion HTTPVersion: String?, headerFields: [String: String]?) { return nil }
    open var statusCode: Int { 0 }
    open var allHeaderFields: [AnyHashable: Any] { [:] }
    @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)
    open func value(forHTTPHeaderField field: String) -> String? { nil }
    open class func localizedString(forStatusCode statusCode: Int) -> String { "" }
}

// MARK: - Credentials, caches and cookies

public let NSURLAuthenticationMethodServerTrust: String = ""
public let NSURLAuthenticationMethodClientCertificate: String = ""
public let NSURLAuthenticationMethodHTTPBasic: String = ""
public let NSURLAuthenticationMethodHTTPDigest: String = ""

open class URLCredential: NSObject, @unchecked Sendable {
    public enum Persistence: UInt, Sendable { case none, forSession, permanent, synchronizable }
    public init(user: String, password: String, persistence: Persistence) {}
    public init(trust: SecTrust) {}
    public init(identity: SecIdentity, certificates certArray: [Any]?, persistence: Persistence) {}
}

open class URLProtectionSpace: NSObject, @unchecked Sendable {
    open var authenticationMethod: String { "" }
    open var host: String { "" }
    open var port: Int { 0 }
    open var realm: String? { nil }
    open var `protocol`: String? { nil }
    open var proxyType: String? { nil }
    open override func isProxy() -> Bool { false }
    open var serverTrust: SecTrust? { nil }
}

open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    open var protectionSpace: URLProtectionSpace { fatalError() }
    open var proposedCredential: URLCredential? { nil }
    open var previousFailureCount: Int { 0 }
    open var failureResponse: URLResponse? { nil }
    open var error: (any Error)? { nil }
}

open class URLCache: NSObject, @unchecked Sendable {}
open class URLCredentialStorage: NSObject, @unchecked Sendable {}
open class HTTPCookie: NSObject, @unchecked Sendable {
    public enum AcceptPolicy: UInt, Sendable { case always, never, onlyFromMainDocumentDomain }
}
open class HTTPCookieStorage: NSObject, @unchecked Sendable {}

// MARK: - Sessions

// <Security/SecProtocolTypes.h>
public enum tls_protocol_version_t: UInt16, Sendable {
    case TLSv10 = 0x0301
    case TLSv11 = 0x0302
    case TLSv12 = 0x0303
    case TLSv13 = 0x0304
    case DTLSv10 = 0xfeff
    case DTLSv12 = 0xfefd
}

open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
    open class var `default`: URLSessionConfiguration { fatalError() }
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration { fatalError() }
    open func copy(with zone: NSZone? = nil) -> Any { fatalError() }
    open var identifier: String? { nil }
    open var requestCachePolicy: NSURLRequest.CachePolicy = .useProtocolCachePolicy
    open var timeoutIntervalForRequest: TimeInterval = 60
    open var timeoutIntervalForResource: TimeInterval = 60
    open var networkServiceType: NSURLRequest.NetworkServiceType = .default
    open var allowsCellularAccess: Bool = true
    @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)
    open var allowsExpensiveNetworkAccess: Bool { get { true } set {} }
    @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)
    open var allowsConstrainedNetworkAccess: Bool { get { true } set {} }
    @available(macOS 26.1, iOS 26.1, tvOS 26.1, watchOS 26.1, visionOS 26.1, *)
    open var allowsUltraConstrainedNetworkAccess: Bool { get { true } set {} }
    @available(macOS 10.13, iOS 11, tvOS 11, watchOS 4, visionOS 1, *)
    open var waitsForConnectivity: Bool { get { false } set {} }
    open var isDiscretionary: Bool = false
    open var connectionProxyDictionary: [AnyHashable: Any]?
    @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)
    open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t { get { .TLSv12 } set {} }
    @available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)
    open var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t { get { .TLSv13 } set {} }
    open var httpShouldUsePipelining: Bool = false
    open var httpShouldSetCookies: Bool = true
    open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy = .always
    open var httpAdditionalHeaders: [AnyHashable: Any]?
    open var httpMaximumConnectionsPerHost: Int = 6
    open var httpCookieStorage: HTTPCookieStorage?
    open var urlCredentialStorage: URLCredentialStorage?
    open var urlCache: URLCache?
    open var protocolClasses: [AnyClass]?
    @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    open var usesClassicLoadingMode: Bool { get { false } set {} }
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    open var enablesEarlyData: Bool { get { false } set {} }
}

open class URLSessionTask: NSObject, NSCopying, @unchecked Sendable {
    public enum State: Int, Sendable { case running, suspended, canceling, completed }
    public class var defaultPriority: Float { 0.5 }
    public class var lowPriority: Float { 0.25 }
    public class var highPriority: Float { 0.75 }
    open func copy(with zone: NSZone? = nil) -> Any { fatalError() }
    open var taskIdentifier: Int { 0 }
    open var originalRequest: URLRequest? { nil }
    open var currentRequest: URLRequest? { nil }
    open var response: URLResponse? { nil }
    @available(macOS 12, iOS 15, tvOS 15, watchOS 8, visionOS 1, *)
    open var delegate: (any URLSessionTaskDelegate)? { get { nil } set {} }
    open var countOfBytesReceived: Int64 { 0 }
    open var countOfBytesSent: Int64 { 0 }
    open var countOfBytesExpectedToSend: Int64 { 0 }
    open var countOfBytesExpectedToReceive: Int64 { 0 }
    open var taskDescription: String?
    open func cancel() {}
    open var state: State { .running }
    open var error: (any Error)? { nil }
    open func suspend() {}
    open func resume() {}
    open var priority: Float = 0.5
    @available(macOS 11.3, iOS 14.5, tvOS 14.5, watchOS 7.4, visionOS 1, *)
    open var prefersIncrementalDelivery: Bool { get { true } set {} }
}

open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {}

open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    open var networkProtocolName: String? { nil }
    open var isReusedConnection: Bool { false }
    open var isProxyConnection: Bool { false }
    open var fetchStartDate: Date? { nil }
    open var responseEndDate: Date? { nil }
}

open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { [] }
    open var redirectCount: Int { 0 }
}

open class URLSession: NSObject, @unchecked Sendable {
    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }
    public enum ResponseDisposition: Int, Sendable { case cancel, allow, becomeDownload, becomeStream }
    open class var shared: URLSession { fatalError() }
    public init(configuration: URLSessionConfiguration) {}
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?
    ) {}
    open var delegateQueue: OperationQueue { fatalError() }
    open var delegate: (any URLSessionDelegate)? { nil }
    open var configuration: URLSessionConfiguration { fatalError() }
    open func finishTasksAndInvalidate() {}
    open func invalidateAndCancel() {}
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }
    open func dataTask(with url: URL) -> URLSessionDataTask { fatalError() }
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask { fatalError() }
    open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask { fatalError() }
    open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask { fatalError() }
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    open func uploadTask(withResumeData resumeData: Data) -> URLSessionUploadTask { fatalError() }
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask { fatalError() }
}

// MARK: - Delegates: optional methods in Objective-C, which have defaults here

public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
}

extension URLSessionDelegate {
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}
    public func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {}
}

public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64)
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse)
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)
}

extension URLSessionTaskDelegate {
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {}
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {}
    public func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {}
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {}
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
    ) {}
    public func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {}
    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {}
    public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {}
}

public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

extension URLSessionDataDelegate {
    public func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {}
    public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {}
}

// MARK: - Places

extension URL {
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    public static var cachesDirectory: URL { fatalError() }
    @available(macOS 13, iOS 16, tvOS 16, watchOS 9, visionOS 1, *)
    public static var applicationSupportDirectory: URL { fatalError() }
}
