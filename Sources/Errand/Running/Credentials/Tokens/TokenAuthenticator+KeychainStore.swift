internal import Dispatch
internal import Foundation

#if canImport(Security) && !os(Linux)
    internal import Security

    extension TokenAuthenticator {
        /// Keeps a token in the Keychain of Apple's systems, as a generic password.
        ///
        /// The item can be read after the first unlock following a restart, so also by work in the background, and only
        /// on this device: it is in no backup that is restored to another one, and not in iCloud Keychain. It stays
        /// when the app is removed. On macOS it is in the data protection keychain, for which an app needs a signature
        /// with an application identifier.
        ///
        /// Apps and extensions with the same access group share the item. They are not held back while one of them
        /// renews the token; see ``TokenAuthenticator/Store``.
        public struct KeychainStore: TokenAuthenticator.Store {
            private let item: KeychainToken

            /// Creates a store.
            ///
            /// - Parameters:
            ///   - service: The service attribute of the item, such as the bundle identifier of the app.
            ///   - account: The account attribute; set it to tell the tokens of several servers apart.
            ///   - accessGroup: The Keychain access group. `nil` finds the item in any group of the app: give stores in
            ///     different groups different accounts.
            public init(service: String, account: String = "token", accessGroup: String? = nil) {
                self.item = KeychainToken(
                    service: service, account: account, accessGroup: accessGroup, keychain: SystemKeychain())
            }

            /// Returns the token; `nil` without an item, or for one that a token cannot be decoded from.
            ///
            /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/authenticatorFailed``, such as before the
            ///   first unlock.
            public func load() async throws(ErrandError) -> OAuthToken? { try await self.item.load() }

            /// Adds or updates the item.
            ///
            /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/authenticatorFailed``.
            public func save(_ token: OAuthToken) async throws(ErrandError) { try await self.item.save(token) }

            /// Deletes the item.
            ///
            /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/authenticatorFailed``.
            public func remove() async throws(ErrandError) { try await self.item.remove() }
        }
    }

    extension TokenAuthenticator.Store where Self == TokenAuthenticator.KeychainStore {
        /// Keeps the token in the Keychain; see ``TokenAuthenticator/KeychainStore``.
        public static func keychain(
            service: String, account: String = "token", accessGroup: String? = nil
        ) -> TokenAuthenticator.KeychainStore {
            TokenAuthenticator.KeychainStore(service: service, account: account, accessGroup: accessGroup)
        }
    }

    /// Keychain Services.
    private struct SystemKeychain: Keychain {
        func copyMatching(_ query: KeychainQuery) -> (status: Int32, data: Data?) {
            var result: CFTypeRef?
            // The pointer is used for as long as the call runs.
            let status = unsafe SecItemCopyMatching(Self.dictionary(query), &result)
            return (status, result as? Data)
        }

        func add(_ attributes: KeychainQuery) -> Int32 {
            SecItemAdd(Self.dictionary(attributes), nil)
        }

        func update(_ query: KeychainQuery, to attributes: KeychainQuery) -> Int32 {
            SecItemUpdate(Self.dictionary(query), Self.dictionary(attributes))
        }

        func delete(_ query: KeychainQuery) -> Int32 {
            SecItemDelete(Self.dictionary(query))
        }

        private static func dictionary(_ query: KeychainQuery) -> CFDictionary {
            var dictionary: [CFString: Any] = [:]
            for (attribute, value) in query {
                dictionary[self.key(attribute)] =
                    switch value {
                    case .genericPassword: kSecClassGenericPassword
                    case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                    case .one: kSecMatchLimitOne
                    case .yes: true
                    case .text(let text): text
                    case .data(let data): data
                    } as Any
            }
            return dictionary as CFDictionary
        }

        private static func key(_ attribute: KeychainAttribute) -> CFString {
            switch attribute {
            case .class: kSecClass
            case .service: kSecAttrService
            case .account: kSecAttrAccount
            case .accessGroup: kSecAttrAccessGroup
            case .accessible: kSecAttrAccessible
            case .dataProtection: kSecUseDataProtectionKeychain
            case .matchLimit: kSecMatchLimit
            case .returnData: kSecReturnData
            case .data: kSecValueData
            }
        }
    }
#endif

// MARK: - On all systems

/// A dictionary of Keychain Services.
typealias KeychainQuery = [KeychainAttribute: KeychainValue]

/// A key of a ``KeychainQuery``.
enum KeychainAttribute: Sendable {
    case `class`, service, account, accessGroup, accessible, dataProtection, matchLimit, returnData, data
}

/// A value of a ``KeychainQuery``.
enum KeychainValue: Sendable, Hashable {
    case genericPassword, afterFirstUnlockThisDeviceOnly, one, yes
    case text(String)
    case data(Data)
}

/// The functions of Keychain Services that are used; each returns an `OSStatus`.
protocol Keychain: Sendable {
    /// As `SecItemCopyMatching`.
    func copyMatching(_ query: KeychainQuery) -> (status: Int32, data: Data?)
    /// As `SecItemAdd`.
    func add(_ attributes: KeychainQuery) -> Int32
    /// As `SecItemUpdate`.
    func update(_ query: KeychainQuery, to attributes: KeychainQuery) -> Int32
    /// As `SecItemDelete`.
    func delete(_ query: KeychainQuery) -> Int32
}

/// A token in a keychain.
struct KeychainToken: Sendable {
    private let query: KeychainQuery
    private let keychain: any Keychain

    /// A queue for calls that block; it is serial, so that the token that was saved last stays.
    private static let queue = DispatchQueue(label: "errand.keychain", qos: .userInitiated)
    private static let (success, duplicateItem, itemNotFound): (Int32, Int32, Int32) = (0, -25299, -25300)

    init(service: String, account: String, accessGroup: String?, keychain: any Keychain) {
        var query: KeychainQuery = [
            .class: .genericPassword, .service: .text(service), .account: .text(account), .dataProtection: .yes,
        ]
        query[.accessGroup] = accessGroup.map { .text($0) }
        self.query = query
        self.keychain = keychain
    }

    func load() async throws(ErrandError) -> OAuthToken? {
        let asked: KeychainQuery = [.matchLimit: .one, .returnData: .yes]
        let (status, data) = await Self.queue.perform {
            self.keychain.copyMatching(self.query.merging(asked) { _, new in new })
        }
        if status == Self.itemNotFound { return nil }
        try Self.check(status, "read")
        return data.flatMap { try? JSONDecoder().decodeJSON(OAuthToken.self, from: $0) }
    }

    func save(_ token: OAuthToken) async throws(ErrandError) {
        guard let data = try? JSONEncoder().encode(token) else {
            throw ErrandError(.authenticatorFailed, "the token cannot be encoded for the Keychain")
        }
        let content: KeychainQuery = [.data: .data(data), .accessible: .afterFirstUnlockThisDeviceOnly]
        let status = await Self.queue.perform {
            let status = self.keychain.update(self.query, to: content)
            guard status == Self.itemNotFound else { return status }
            let added = self.keychain.add(self.query.merging(content) { _, new in new })
            // Another process has added one in between.
            return added == Self.duplicateItem ? self.keychain.update(self.query, to: content) : added
        }
        try Self.check(status, "saved")
    }

    func remove() async throws(ErrandError) {
        let status = await Self.queue.perform { self.keychain.delete(self.query) }
        if status != Self.itemNotFound { try Self.check(status, "removed") }
    }

    private static func check(_ status: Int32, _ action: String) throws(ErrandError) {
        guard status != self.success else { return }
        let advice =
            switch status {
            case -25308: "the device has not been unlocked since its restart; try again after that"
            case -34018: "sign the app with an application identifier, or with the Keychain access group"
            case -25291: "no keychain is available in this session"
            default: "look the status up with SecCopyErrorMessageString"
            }
        throw ErrandError(
            .authenticatorFailed, "the token in the Keychain cannot be \(action), OSStatus \(status): \(advice)")
    }
}
