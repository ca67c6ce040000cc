internal import Foundation
internal import TestEffort
internal import Testing

/// A type that is written by hand to say what another one says, as its source has it.
struct Forwarder: Sendable, CustomTestStringConvertible {
    /// How its declarations begin, by file.
    let parts: [(file: String, beginning: String)]
    /// What it says by itself, with the protocol's default or not at all, and why.
    let own: [String: String]

    private init(own: [String: String] = [:], _ parts: (file: String, beginning: String)...) {
        (self.parts, self.own) = (parts, own)
    }

    var testDescription: String { self.parts.last?.beginning ?? "" }

    /// The names of the properties and functions that a declaration has.
    static func names(in file: String, from beginning: String) throws -> Set<String> {
        let lines = try Pages.text(of: file).split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix(beginning) }, "\(file) has no \(beginning)")
        let body = lines[(start + 1)...].prefix { $0 != "}" }
        // No deeper than one level: what stands in bodies is no requirement.
        return Set(
            body.compactMap { line in
                line.firstMatch(of: /^ {4}(?:package |public |static )*(?:var|let|func) (\w+)/).map { String($0.1) }
            })
    }

    private static let calls = "Sources/Errand/Declaring/Endpoint/BodyCalls.swift"
    private static let body = (file: Self.calls, beginning: "extension BodyCall {")
    private static let decoding = "the body is no value of the endpoint's"
    private static let whole = "the request is made already"
    private static let stored = "an outbox sends what it wrote, by the client's rules"

    static let ofEndpoints: [Forwarder] = [
        Forwarder(own: ["decoder": Self.decoding], Self.body, (Self.calls, "struct StreamedCall<")),
        Forwarder(
            own: ["decoder": Self.decoding, "decode": Self.decoding], Self.body, (Self.calls, "struct DownloadCall<")),
        Forwarder(Self.body, (Self.calls, "struct UploadCall<")),
        Forwarder(Self.body, ("Sources/Errand/Running/Coordination/ResponsePages.swift", "struct PageCall<")),
        Forwarder(
            own: Dictionary(
                uniqueKeysWithValues: ["baseURL", "parameters", "headers", "body"].map { ($0, Self.whole) }
                    + [("options", "those of the request that is shared"), ("decoder", "each who waits sees to that")]),
            ("Sources/Errand/Running/Run/SharedCall.swift", "struct SharedCall:")),
        Forwarder(
            own: Dictionary(
                uniqueKeysWithValues: ["baseURL", "parameters", "validation", "decoder"].map { ($0, Self.stored) }),
            ("Sources/ErrandOutbox/Sending/StoredCall.swift", "struct StoredCall:")),
    ]

    static let ofTransports = Forwarder(("Sources/Errand/OwnedTransport.swift", "package final class OwnedTransport:"))
}

@Suite("Types that say what others say", .timeLimit(.minutes(60)), .paced)
struct ForwardingTests {
    @Test(arguments: Forwarder.ofEndpoints)
    func `a call made of another one forwards each requirement, or says why not`(forwarder: Forwarder) throws {
        let required = try Forwarder.names(
            in: "Sources/Errand/Declaring/Endpoint/Endpoint.swift", from: "public protocol Endpoint:")
        #expect(required.count > 10)
        try Self.expect(forwarder, coversAll: required)
    }

    @Test func `a transport made of another one forwards each requirement`() throws {
        let required = try Forwarder.names(
            in: "Sources/Errand/Sending/Transport/Transport.swift", from: "public protocol Transport")
        #expect(required.count > 3)
        try Self.expect(Forwarder.ofTransports, coversAll: required)
    }

    private static func expect(_ forwarder: Forwarder, coversAll required: Set<String>) throws {
        var said = Set(forwarder.own.keys)
        #expect(said.isSubset(of: required), "an exception is no requirement any more")
        for part in forwarder.parts { said.formUnion(try Forwarder.names(in: part.file, from: part.beginning)) }
        let missing = required.subtracting(said).sorted()
        #expect(missing.isEmpty, "\(forwarder.testDescription) forwards neither of \(missing)")
    }
}
