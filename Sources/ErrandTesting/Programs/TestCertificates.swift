#if os(Linux) || os(macOS)
    package import Foundation

    /// Certificates for local servers and clients, created by the `openssl` program.
    package struct TestCertificates: Sendable {
        /// A certificate with its private key.
        package struct Identity: Sendable {
            /// The certificate, in PEM.
            package let certificate: URL
            /// The private key, in PEM.
            package let key: URL
            /// The pin of the public key.
            package let pin: String

            /// Creates an identity from existing files.
            package init(certificate: URL, key: URL, pin: String) {
                self.certificate = certificate
                self.key = key
                self.pin = pin
            }
        }

        /// The passphrase of ``encryptedClientKey``.
        package static let passphrase = "open sesame"

        /// The authority that signed the other certificates.
        package let authority: Identity
        /// A certificate for `localhost`, `127.0.0.1` and `::1`.
        package let server: Identity
        /// Like ``server``, but valid only on one day of 2020.
        package let expired: Identity
        /// A certificate for `other.example` only.
        package let otherHost: Identity
        /// Like ``server``, but self-signed.
        package let selfSigned: Identity
        /// A client certificate.
        package let client: Identity
        /// The key of ``client``, encrypted.
        package let encryptedClientKey: URL

        /// Removes the files when the last copy is released.
        private let folder: TestFolder

        /// Creates a new set of certificates.
        ///
        /// - Throws: `ProgramError` if `openssl` is not installed or fails, `CocoaError` if files cannot be created.
        package init() async throws {
            guard let shell = TestProgram.shell, TestProgram.openssl != nil else {
                throw ProgramError("openssl is not installed")
            }
            let folder = try TestFolder()
            try Data(Self.configuration.utf8).write(to: folder.file("openssl.cnf"))
            let result = try await shell.run(["-euc", Self.script, "sh", folder.url.path, Self.passphrase])
            guard result.status == 0 else { throw ProgramError("no certificates could be made: \(result.complaint)") }
            self.authority = try Self.identity("authority", folder)
            self.server = try Self.identity("server", folder)
            self.expired = try Self.identity("expired", folder)
            self.otherHost = try Self.identity("otherHost", folder)
            self.selfSigned = try Self.identity("selfSigned", folder)
            self.client = try Self.identity("client", folder)
            self.encryptedClientKey = folder.file("client.encrypted.key")
            self.folder = folder
        }

        private static func identity(_ name: String, _ folder: TestFolder) throws -> Identity {
            let digest = try String(contentsOf: folder.file("\(name).pin"), encoding: .utf8)
            return Identity(
                certificate: folder.file("\(name).pem"), key: folder.file("\(name).key"),
                pin: "sha256/" + digest.trimmingCharacters(in: .whitespacesAndNewlines))
        }

        private static let script = """
            root() {
                openssl req -x509 -config openssl.cnf -extensions "$1" -subj "/CN=$1" -days 3650 \\
                    -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.pem"
            }
            leaf() {
                openssl req -new -config openssl.cnf -subj "/CN=$1" \\
                    -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.csr"
                openssl ca -batch -config openssl.cnf -extensions "$1" -startdate "$2" -enddate "$3" -notext \\
                    -in "$1.csr" -out "$1.pem"
            }
            cd "$1"
            : > index.txt
            root authority
            root selfSigned
            leaf server 20200101000000Z 20991231000000Z
            leaf otherHost 20200101000000Z 20991231000000Z
            leaf client 20200101000000Z 20991231000000Z
            leaf expired 20200101000000Z 20200102000000Z
            openssl pkey -in client.key -aes256 -passout "pass:$2" -out client.encrypted.key
            for name in authority selfSigned server otherHost client expired; do
                openssl x509 -in "$name.pem" -noout -pubkey | openssl pkey -pubin -outform DER |
                    openssl dgst -sha256 -binary | openssl base64 > "$name.pin"
            done
            """

        private static let configuration = """
            [req]
            distinguished_name = name
            [name]
            [ca]
            default_ca = issuing
            [issuing]
            database = index.txt
            new_certs_dir = .
            certificate = authority.pem
            private_key = authority.key
            default_md = sha256
            rand_serial = yes
            unique_subject = no
            policy = any
            [any]
            commonName = supplied
            [authority]
            basicConstraints = critical, CA:TRUE
            keyUsage = critical, keyCertSign
            subjectKeyIdentifier = hash
            [server]
            subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1
            extendedKeyUsage = serverAuth
            [expired]
            subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1
            extendedKeyUsage = serverAuth
            [selfSigned]
            subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1
            extendedKeyUsage = serverAuth
            [otherHost]
            subjectAltName = DNS:other.example
            extendedKeyUsage = serverAuth
            [client]
            extendedKeyUsage = clientAuth
            """
    }
#endif
