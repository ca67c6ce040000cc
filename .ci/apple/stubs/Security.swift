// swift-format-ignore-file

// <Security/Security.h>: trust and keys, with the types of Core Foundation that they use.
//
// On Apple platforms those types are classes to which Swift values are bridged; here they are the values.
@_exported public import Darwin
public import Foundation

public typealias OSStatus = Int32
public typealias CFTypeRef = AnyObject
public typealias CFArray = [Any]
public typealias CFData = Data
public typealias CFDictionary = [AnyHashable: Any]
public typealias CFString = String

public final class CFAllocator {}
public final class CFError: Error, @unchecked Sendable {}

public final class SecTrust: @unchecked Sendable {}
public final class SecKey: @unchecked Sendable {}
public final class SecCertificate: @unchecked Sendable {}
public final class SecIdentity: @unchecked Sendable {}
public final class SecPolicy: @unchecked Sendable {}

@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus { 0 }
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus { 0 }
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: Any) -> OSStatus { 0 }
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy { fatalError() }
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { false }
@available(macOS 12, iOS 15, tvOS 15, watchOS 8, visionOS 1, *)
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { nil }
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? { nil }
@available(macOS, introduced: 10.7, deprecated: 12, message: "Use SecTrustCopyCertificateChain")
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: Int) -> SecCertificate? { nil }
@available(macOS, introduced: 10.7, deprecated: 10.15, message: "Use SecTrustEvaluateWithError")
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<UInt32>) -> OSStatus { 0 }

public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { Data() }
@available(macOS 10.14, iOS 12, tvOS 12, watchOS 5, visionOS 1, *)
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { nil }
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { nil }
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? { nil }

public let kSecAttrKeyType: CFString = ""
public let kSecAttrKeyTypeRSA: CFString = ""
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = ""
public let kSecAttrKeySizeInBits: CFString = ""

// <Security/SecItem.h>
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }

public let kSecClass: CFString = ""
public let kSecClassGenericPassword: CFString = ""
public let kSecAttrService: CFString = ""
public let kSecAttrAccount: CFString = ""
public let kSecAttrAccessGroup: CFString = ""
public let kSecAttrAccessible: CFString = ""
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = ""
public let kSecMatchLimit: CFString = ""
public let kSecMatchLimitOne: CFString = ""
public let kSecReturnData: CFString = ""
public let kSecValueData: CFString = ""
@available(macOS 10.15, iOS 13, tvOS 13, watchOS 6, visionOS 1, *)
public let kSecUseDataProtectionKeychain: CFString = ""
