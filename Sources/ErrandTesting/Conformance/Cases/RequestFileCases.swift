internal import Errand
internal import Foundation

extension TransportConformance {
    /// Request content from files.
    static let requestFileCases: [Case] =
        [0, 5, 8_000_000].map { size in
            Case("sends-file-\(size)-bytes", "A file of \(size) bytes arrives with its length", needs: .sendsFiles) {
                scene throws(ConformanceFailure) in
                let file = try scene.file("content", .pattern(size))
                try await scene.expectContent(.pattern(size), from: .file(file), of: .put, isChunked: false)
            }
        } + [
            Case("sends-file-missing", "A missing file is an error, and nothing is sent", needs: .sendsFiles) {
                scene throws(ConformanceFailure) in
                try await refusesFile(at: try scene.place("missing"), scene)
            },
            Case("sends-file-folder", "A folder is an error, and nothing is sent", needs: .sendsFiles) {
                scene throws(ConformanceFailure) in
                try await refusesFile(at: try scene.place("a").deletingLastPathComponent(), scene)
            },
            Case("sends-file-elsewhere", "A URL that is not a file URL is an error", needs: .sendsFiles) {
                scene throws(ConformanceFailure) in
                guard let url = URL(string: "http://127.0.0.1:\(scene.server.port)/works") else { return }
                try await refusesFile(at: url, scene)
            },
            Case(
                "sends-file-cut", "A file that shrinks while it is sent is an error, unless all of it had been read",
                needs: .sendsFiles, sendsCutFile),
        ]

    private static func refusesFile(at url: URL, _ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer(.text("hello"))
        try await scene.expect(.failure(), of: ConformanceExchange(method: .put, body: .file(url)))
        try scene.require("the number of requests", scene.server.receivedCount, is: 0)
    }

    private static func sendsCutFile(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let (content, gate) = (Data.pattern(48_000_000), LoopbackGate())
        let file = try scene.file("content", content)
        scene.server.earlyRoute("*", "/case*", LoopbackReply(.hold(gate), .bytes(.ok("Content-Length: 5"))))
        let exchange = ConformanceExchange(method: .put, body: .file(file))
        let (outcome, _) = try await scene.whilePerforming(exchange, is: .response().or(.failure())) {
            await gate.waitUntilReached()
            // Sockets and buffers in between hold less than the file has.
            if let handle = try? FileHandle(forWritingTo: file) { try? handle.truncate(atOffset: 0) }
            gate.open()
        }
        guard case .success = outcome else { return }
        try await scene.wait(for: "a request") { await scene.server.waitForRequests(1) }
        try scene.require(
            scene.server.received.first?.body == content, "an error, or all of the content", "other content")
    }
}
