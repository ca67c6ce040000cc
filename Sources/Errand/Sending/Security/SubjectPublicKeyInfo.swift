package import Foundation

/// Encodes public keys in the form that pins are digests of (RFC 5280 §4.1.2.7, in DER).
///
/// Apple platforms return the bytes of a key without it.
package enum SubjectPublicKeyInfo {
    /// A kind of public key.
    package enum Kind: Sendable {
        /// RSA of any size; the bytes are an `RSAPublicKey` (RFC 8017 §A.1.1).
        case rsa
        /// The curve P-256; the bytes are an uncompressed point, as for the other curves (RFC 5480 §2.2).
        case p256
        /// The curve P-384.
        case p384
        /// The curve P-521.
        case p521
    }

    /// Returns the DER encoding for the bytes of a key.
    package static func der(_ kind: Kind, _ key: Data) -> Data {
        let algorithm = Self.element(0x30, Data(Self.algorithm(kind)))
        // The last byte has no unused bits.
        return Self.element(0x30, algorithm + Self.element(0x03, Data([0]) + key))
    }

    /// Returns the object identifier of the algorithm with its parameters: null for RSA, the curve's name for others.
    private static func algorithm(_ kind: Kind) -> [UInt8] {
        let rsaEncryption: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        return switch kind {
        case .rsa: rsaEncryption + [0x05, 0x00]
        case .p256: ecPublicKey + [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: ecPublicKey + [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x22]
        case .p521: ecPublicKey + [0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x23]
        }
    }

    private static func element(_ tag: UInt8, _ content: Data) -> Data {
        var length = Data()
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        if content.count < 0x80 { return Data([tag, UInt8(content.count)]) + content }
        return Data([tag, 0x80 | UInt8(length.count)]) + length + content
    }
}
