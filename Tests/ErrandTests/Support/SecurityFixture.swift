internal import Errand
internal import Foundation

/// PEM that is well formed and means nothing.
enum SecurityFixture {
    static let certificate = block("CERTIFICATE", "MAMCAQU=")
    static let key = block("PRIVATE KEY", "MAMCAQY=")
    static let encryptedKey = block("ENCRYPTED PRIVATE KEY", "MAMCAQc=")
    /// As older versions of OpenSSL encrypt keys.
    static let oldEncryptedKey = """
        -----BEGIN RSA PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,56D8DA37E3E6A2105771DD018DC14BA2

        MAMCAQc=
        -----END RSA PRIVATE KEY-----

        """
    static let pin: TLSPolicy.PublicKeyPin = "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    static func block(_ label: String, _ base64: String) -> String {
        "-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n"
    }

    static func identity(_ key: String, passphrase: String? = nil) -> TLSPolicy.ClientCertificate {
        TLSPolicy.ClientCertificate(chain: .text(self.certificate), privateKey: .text(key), passphrase: passphrase)
    }
}
