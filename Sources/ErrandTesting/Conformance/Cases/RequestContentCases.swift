internal import Errand
internal import Foundation

extension TransportConformance {
    /// In-memory content of requests as it arrives, and its framing.
    static let requestContentCases: [Case] =
        [0, 1, 5, 65_536, 4_000_000].map { size in
            Case("content-\(size)-bytes", "Content of \(size) bytes arrives with its length") {
                scene throws(ConformanceFailure) in
                try await scene.expectContent(.pattern(size), from: .bytes(.pattern(size)), isChunked: false)
            }
        } + [
            Case("content-of-every-byte", "Bytes of every value arrive as they are", everyByte),
            Case("content-delete", "Content arrives with DELETE", contentOfDelete),
            Case("content-query", "Content arrives with QUERY", contentOfQuery),
            Case("content-unknown-method", "Content arrives with an unknown method", contentOfReport),
            Case("content-get", "Content arrives with GET", needs: .sendsContentWithGet, contentOfGet),
            Case("content-none-post", "A POST without content says that its length is 0", emptyPost),
            Case("content-none-put", "A PUT with no bytes says that its length is 0", emptyPut),
            Case("content-none-get", "A GET without content has no field about content", emptyGet),
            Case(
                "expect-continue", "Content of a request that expects a 100 arrives",
                expectContinue),
            Case(
                "expect-continue-unanswered", "Content is eventually sent even without a 100",
                options: unexpecting, expectContinue),
            Case(
                "content-large-without-continue", "Large content arrives although the server sends no 100",
                options: unexpecting
            ) { scene throws(ConformanceFailure) in
                try await scene.expectContent(.pattern(2_000_000), from: .bytes(.pattern(2_000_000)), isChunked: false)
            },
        ]

    private static let unexpecting: LoopbackOptions = {
        var options = LoopbackOptions()
        options.answersExpectContinue = false
        return options
    }()

    private static func everyByte(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let content = Data((0...255).map { UInt8($0) })
        try await scene.expectContent(content, from: .bytes(content), isChunked: false)
    }

    private static func contentOfDelete(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await scene.expectContent(.pattern(10), from: .bytes(.pattern(10)), of: .delete, isChunked: false)
    }

    private static func contentOfQuery(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await scene.expectContent(.pattern(10), from: .bytes(.pattern(10)), of: .query, isChunked: false)
    }

    private static func contentOfReport(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await scene.expectContent(.pattern(10), from: .bytes(.pattern(10)), of: "REPORT", isChunked: false)
    }

    private static func contentOfGet(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await scene.expectContent(.pattern(10), from: .bytes(.pattern(10)), of: .get, isChunked: false)
    }

    private static func emptyPost(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await scene.expectContent(Data(), from: .none, isChunked: false)
    }

    private static func emptyPut(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await scene.expectContent(Data(), from: .bytes(Data()), of: .put, isChunked: false)
    }

    private static func emptyGet(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let request = try await scene.request(made: ConformanceExchange())
        for name in ["Content-Length", "Transfer-Encoding", "Content-Type", "Expect", "Trailer"] {
            try scene.require(name, request.headers.values(of: name), is: [])
        }
    }

    private static func expectContinue(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let content = Data.pattern(300_000)
        let exchange = ConformanceExchange(method: .post, headers: ["Expect": "100-continue"], body: .bytes(content))
        let request = try await scene.request(made: exchange)
        try scene.require("the content", request.body == content, is: true)
    }
}

extension ConformanceScene {
    /// Sends content that must arrive complete, in a request with correct framing by RFC 9112 §6.
    func expectContent(
        _ content: Data, from body: HTTPRequest.Body, of method: HTTPMethod = .post, isChunked: Bool
    ) async throws(ConformanceFailure) {
        let request = try await self.request(made: ConformanceExchange(method: method, body: body))
        try self.require(request.body == content, "the content \(content.excerpt)", request.body.excerpt)
        let (codings, lengths) = (isChunked ? ["chunked"] : [], isChunked ? [] : ["\(content.count)"])
        let sent = request.headers.values(of: "Transfer-Encoding").map { $0.lowercased() }
        try self.require("Transfer-Encoding", sent, is: codings)
        try self.require("Content-Length", request.headers.values(of: "Content-Length"), is: lengths)
    }
}
