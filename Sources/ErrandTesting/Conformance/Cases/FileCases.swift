internal import Errand
internal import Foundation

extension TransportConformance {
    /// Response bodies in files.
    static let fileCases: [Case] = [
        Case("file", "A file has the whole body", needs: .receivesFiles) { scene throws(ConformanceFailure) in
            scene.answer(.data(.pattern(5_000_000)))
            try await scene.expectFile(.pattern(5_000_000))
        },
        Case("file-chunked", "A file has the content of all chunks", needs: .receivesFiles) {
            scene throws(ConformanceFailure) in
            scene.answer(.chunked([.pattern(50_000), .pattern(3)], trailers: ["X-Sum": "1"]))
            try await scene.expectFile(Data.pattern(50_000) + Data.pattern(3))
        },
        Case("file-trailers", "Trailers of a body in a file are delivered", needs: [.receivesFiles, .receivesTrailers])
        {
            scene throws(ConformanceFailure) in
            scene.answer(.chunked([.pattern(50_000), .pattern(3)], trailers: ["X-Sum": "1"]))
            let exchange = ConformanceExchange(destination: .file(try scene.place("body")))
            let response = try await scene.response(to: exchange)
            try scene.require("X-Sum", response.trailers["X-Sum"], is: "1")
        },
        Case("file-empty", "An empty body creates an empty file", needs: .receivesFiles) {
            scene throws(ConformanceFailure) in
            scene.answer(.text(""))
            try await scene.expectFile(Data())
        },
        Case("file-unpacked", "A body in a file is decoded", needs: [.receivesFiles, .decodesContent]) {
            scene throws(ConformanceFailure) in
            let packed = ConformanceGzip.repeating(97, matches: 1000)
            scene.answer(.data(packed, headers: ["Content-Encoding": "gzip"]))
            try await scene.expectFile(Data(repeating: 97, count: 258_001))
        },
        Case(
            "file-exists", "An existing file is an error, and is not changed", needs: .receivesFiles, exists
        ),
        Case("file-nowhere", "An impossible path is an error", needs: .receivesFiles, nowhere),
        Case("file-cut", "A body that is cut leaves no file", needs: .receivesFiles) {
            scene throws(ConformanceFailure) in
            scene.answer(.shortBody(declared: 300_000, sent: .pattern(200_000)))
            try await scene.expectNoFile(.failure(.connectionLost))
        },
        Case("file-bad-chunk", "A body with an invalid chunk leaves no file", needs: .receivesFiles) {
            scene throws(ConformanceFailure) in
            scene.answer(LoopbackReply(.bytes(.chunked("5\r\nhello\r\nzz\r\n")), .close))
            try await scene.expectNoFile(.failure(.invalidResponse))
        },
        Case("file-of-nothing", "Without a head there is no file", needs: .receivesFiles) {
            scene throws(ConformanceFailure) in
            scene.answer(.close)
            try await scene.expectNoFile(.failure(.connectionLost))
        },
        Case(
            "file-part-cut", "A body that is cut leaves a partial file on request",
            needs: [.receivesFiles, .keepsPartOfFile]
        ) { scene throws(ConformanceFailure) in
            scene.answer(.shortBody(declared: 300_000, sent: .pattern(200_000)))
            try await scene.expectPart(.pattern(200_000), .failure(.connectionLost))
        },
        Case(
            "file-part-small", "A partial file of a few bytes is kept on request",
            needs: [.receivesFiles, .keepsPartOfFile]
        ) { scene throws(ConformanceFailure) in
            scene.answer(.shortBody(declared: 300_000, sent: .pattern(3)))
            try await scene.expectPart(.pattern(3), .failure(.connectionLost))
        },
        Case("file-cancelled", "Cancelling leaves no file", needs: .receivesFiles, cancelled),
        Case("file-shut-down", "Shutting the transport down leaves no file", needs: .receivesFiles, shutDown),
    ]

    private static func exists(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer(.text("hello"))
        let file = try scene.file("taken", Data("mine".utf8))
        try await scene.expect(.failure(), of: ConformanceExchange(destination: .file(file)))
        try scene.require("the file", try? Data(contentsOf: file), is: Data("mine".utf8))
    }

    private static func nowhere(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer(.text("hello"))
        let file = try scene.place("missing").appending(path: "file")
        try await scene.expect(.failure(), of: ConformanceExchange(destination: .file(file)))
    }

    private static func cancelled(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await self.disturbed(by: .cancelling, scene)
    }

    private static func shutDown(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        try await self.disturbed(by: .shutdown, scene)
    }

    private static func disturbed(
        by disturbance: ConformanceScene.Disturbance, _ scene: ConformanceScene
    ) async throws(ConformanceFailure) {
        scene.answer(.stallInBody(after: 100_000, of: .pattern(1_000_000)))
        let (file, events) = (try scene.place("body"), ConformanceEvents())
        let exchange = ConformanceExchange(destination: .file(file), observer: events.observe)
        try await scene.disturb(by: disturbance, exchange) { await events.waitForBody() }
        // Cancelling does not wait for the disk, and the file may be removed a moment later; the time limit of the case
        // ends a wait that is in vain.
        while !Task.isCancelled, FileManager.default.fileExists(atPath: file.path) { await Task.yield() }
        try scene.require("a file", FileManager.default.fileExists(atPath: file.path), is: false)
        try await scene.waitForClosedConnections()
    }
}

extension ConformanceScene {
    /// Receives a body into a file, and requires exactly this content.
    func expectFile(_ content: Data) async throws(ConformanceFailure) {
        let file = try self.place("body")
        let exchange = ConformanceExchange(headers: ["Accept-Encoding": "gzip"], destination: .file(file))
        let response = try await self.response(to: exchange)
        guard case .file(file) = response.body else {
            throw self.failure("a response with the file \(file.path)", Outcome.success(response).words)
        }
        let written = try? Data(contentsOf: file)
        try self.require(written == content, "the file \(content.excerpt)", written?.excerpt ?? "none")
    }

    /// Tries to receive a body into a file, and requires that the received part is kept.
    func expectPart(_ content: Data, _ expectation: ConformanceExpectation) async throws(ConformanceFailure) {
        let file = try self.place("body")
        try await self.expect(expectation, of: ConformanceExchange(destination: .file(file), keepsPartOfFile: true))
        let written = try? Data(contentsOf: file)
        try self.require(written == content, "the file \(content.excerpt)", written?.excerpt ?? "none")
    }

    /// Tries to receive a body into a file, and requires that no file is left.
    func expectNoFile(_ expectation: ConformanceExpectation) async throws(ConformanceFailure) {
        let file = try self.place("body")
        try await self.expect(expectation, of: ConformanceExchange(destination: .file(file)))
        try self.require("a file", FileManager.default.fileExists(atPath: file.path), is: false)
    }
}
