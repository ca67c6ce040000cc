internal import ErrandLocks
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("Tokens in the Keychain", .timeLimit(.minutes(60)), .paced)
struct KeychainTokenTests {
    /// A keychain that records its calls, and returns the statuses that it is given, the last one again and again.
    private final class RecordingKeychain: Keychain {
        enum Call: Hashable {
            case copy(KeychainQuery), add(KeychainQuery), update(KeychainQuery, KeychainQuery), delete(KeychainQuery)
        }

        private let state: Locked<(calls: [Call], statuses: [Int32])>
        private let data: Data?

        init(_ statuses: [Int32], data: Data? = nil) {
            self.state = Locked(([], statuses))
            self.data = data
        }

        var calls: [Call] { self.state.withLock { $0.calls } }

        private func status(of call: Call) -> Int32 {
            self.state.withLock { state in
                state.calls.append(call)
                return state.statuses.count > 1 ? state.statuses.removeFirst() : state.statuses.first ?? 0
            }
        }

        func copyMatching(_ query: KeychainQuery) -> (status: Int32, data: Data?) {
            (self.status(of: .copy(query)), self.data)
        }
        func add(_ attributes: KeychainQuery) -> Int32 { self.status(of: .add(attributes)) }
        func update(_ query: KeychainQuery, to attributes: KeychainQuery) -> Int32 {
            self.status(of: .update(query, attributes))
        }
        func delete(_ query: KeychainQuery) -> Int32 { self.status(of: .delete(query)) }
    }

    private let token = OAuthToken(accessToken: "a")
    private let query: KeychainQuery = [
        .class: .genericPassword, .service: .text("app"), .account: .text("token"), .dataProtection: .yes,
        .accessGroup: .text("group"),
    ]

    private func item(_ keychain: RecordingKeychain) -> KeychainToken {
        KeychainToken(service: "app", account: "token", accessGroup: "group", keychain: keychain)
    }

    private func content(of call: RecordingKeychain.Call?) -> KeychainQuery? {
        switch call {
        case .add(let content)?, .update(_, let content)?: content
        default: nil
        }
    }

    @Test func `are read with one query`() async throws {
        let keychain = RecordingKeychain([0], data: try JSONEncoder().encode(self.token))
        #expect(try await self.item(keychain).load() == self.token)
        let asked = self.query.merging([.matchLimit: .one, .returnData: .yes]) { $1 }
        #expect(keychain.calls == [.copy(asked)])
    }

    @Test(arguments: [(-25300, nil), (0, nil), (0, "{")] as [(Int32, String?)])
    func `are none without an item that can be read`(status: Int32, text: String?) async throws {
        let keychain = RecordingKeychain([status], data: text.map { Data($0.utf8) })
        #expect(try await self.item(keychain).load() == nil)
    }

    @Test func `are updated, readable after the first unlock and only on this device`() async throws {
        let keychain = RecordingKeychain([0])
        try await self.item(keychain).save(self.token)
        guard case .update(self.query, let content)? = keychain.calls.first else { return #expect(Bool(false)) }
        #expect(keychain.calls.count == 1)
        #expect(content[.accessible] == .afterFirstUnlockThisDeviceOnly)
        guard case .data(let data)? = content[.data] else { return #expect(Bool(false)) }
        #expect(try JSONDecoder().decode(OAuthToken.self, from: data) == self.token)
    }

    @Test func `are added where there is no item, and updated if another process was faster`() async throws {
        let keychain = RecordingKeychain([-25300, -25299, 0])
        try await self.item(keychain).save(self.token)
        let content = try #require(self.content(of: keychain.calls.first))
        #expect(
            keychain.calls == [
                .update(self.query, content), .add(self.query.merging(content) { $1 }), .update(self.query, content),
            ])
    }

    @Test(arguments: [0, -25300] as [Int32])
    func `are removed, also where there is none`(status: Int32) async throws {
        let keychain = RecordingKeychain([status])
        try await self.item(keychain).remove()
        #expect(keychain.calls == [.delete(self.query)])
    }

    @Test(
        arguments: [(-25308, "unlocked"), (-34018, "sign the app"), (-25293, "look the status up")] as [(Int32, String)]
    )
    func `that cannot be reached say which status, and what to do`(status: Int32, advice: String) async throws {
        let item = self.item(RecordingKeychain([status]))
        let works: [() async throws -> Void] = [
            { _ = try await item.load() }, { try await item.save(self.token) }, { try await item.remove() },
        ]
        for work in works {
            let error = await #expect(throws: ErrandError.self) { try await work() }
            #expect(error?.code == .authenticatorFailed)
            #expect(error?.message.contains("\(status)") == true)
            #expect(error?.message.contains(advice) == true)
        }
    }
}
