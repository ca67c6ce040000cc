internal import Errand
internal import Foundation

extension TransportConformance {
    /// Unsupported exchanges are refused before anything is sent.
    static let refusalCases: [Case] = [
        Case("refuses-stream", "A stream as the destination is refused", lacks: .receivesStreams) {
            scene throws(ConformanceFailure) in
            try await refuses(ConformanceExchange(destination: .stream(buffer: 1000)), scene)
        },
        Case("refuses-file", "A file as the destination is refused, and not created", lacks: .receivesFiles) {
            scene throws(ConformanceFailure) in
            let file = try scene.place("body")
            try await refuses(ConformanceExchange(destination: .file(file)), scene)
            try scene.require("a file", (try? file.checkResourceIsReachable()) ?? false, is: false)
        },
        Case("refuses-sending-stream", "A stream as content is refused", lacks: .sendsStreams) {
            scene throws(ConformanceFailure) in
            let stream = ConformanceStream(.pattern(10), chunk: 5)
            try await refuses(ConformanceExchange(method: .post, body: .stream(stream.body, length: 10)), scene)
            try scene.require("the number of bytes asked for", stream.producedCount, is: 0)
        },
        Case("refuses-sending-file", "A file as content is refused", lacks: .sendsFiles) {
            scene throws(ConformanceFailure) in
            let file = try scene.file("content", .pattern(10))
            try await refuses(ConformanceExchange(method: .post, body: .file(file)), scene)
        },
        Case("refuses-content-of-get", "Content of a GET is refused", lacks: .sendsContentWithGet) {
            scene throws(ConformanceFailure) in
            try await refuses(ConformanceExchange(body: .bytes(.pattern(10))), scene)
        },
    ]

    private static func refuses(
        _ exchange: ConformanceExchange, _ scene: ConformanceScene
    ) async throws(ConformanceFailure) {
        scene.answer(.text("hello"))
        try await scene.expect(.failure(.unsupported), of: exchange)
        try scene.require("the number of requests", scene.server.receivedCount, is: 0)
    }
}
