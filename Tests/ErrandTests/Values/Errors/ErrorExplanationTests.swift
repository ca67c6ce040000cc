internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Errors: words for people who use an app, and questions", .timeLimit(.minutes(60)), .paced)
struct ErrorExplanationTests {
    private static let codes: [ErrandError.Code] = [
        .cancelled, .timedOut, .clientShutDown, .invalidURL, .invalidRequest, .encodingFailed, .alreadyStarted,
        .emptyChain, .unsupported, .invalidConfiguration, .invalidTLSPolicy, .hostNotFound, .cannotConnect,
        .proxyAuthenticationFailed, .connectionLost, .tlsFailed, .invalidResponse, .bodyTooLarge, .transportFailed,
        .tooManyRedirects,
        .invalidRedirect, .fileFailed, .notInCache, .unacceptableStatus, .unacceptableContentType, .unacceptableShape,
        .validationFailed, .decodingFailed, .interceptorFailed, .hookFailed, .callbackFailed, .authenticatorFailed,
        .loginRequired,
        .bodyAlreadyRead, .digestMismatch, .circuitOpen, .outboxFull,
    ]

    private func words(_ error: ErrandError) -> [String] {
        [error.errorDescription, error.failureReason, error.recoverySuggestion].map { $0 ?? "" }
    }

    @Test func `the codes here are all codes`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../Sources/Errand/Values/HTTP/ErrandError+Code.swift")
        let declared = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            line.contains("public static let ") ? line.split(separator: "\"").dropFirst().first.map(String.init) : nil
        }
        #expect(Set(declared) == Set(Self.codes.map(\.description)))
    }

    @Test(arguments: Self.codes)
    func `every code has three sentences`(code: ErrandError.Code) {
        for words in self.words(ErrandError(code, "at $.level expected Int")) {
            #expect(words.count > 10 && words.first?.isUppercase == true && words.hasSuffix("."), "\(code): \(words)")
        }
    }

    @Test(arguments: Self.codes)
    func `none of them names a type, a code or what the message says`(code: ErrandError.Code) {
        var error = ErrandError(code, "at $.level expected Int")
        error.context.endpointName = "GetUser"
        error.context.url = "https://api.test/"
        let text = self.words(error).joined(separator: " ")
        for word in ["Error", "Errand", "GetUser", "$", "Int", "api.test", "HTTP", "JSON", code.description] {
            // A code may be a word of English.
            #expect(!text.contains(word) || code == .cancelled && word == "cancelled", "\(code): \(text)")
        }
        #expect(!text.contains { $0.isNumber })
        #expect(error.localizedDescription == error.errorDescription)
    }

    private struct Told: LocalizedError {
        var errorDescription: String? { "No table is free." }
        var recoverySuggestion: String? { "Choose another evening." }
    }

    @Test(arguments: Self.codes)
    func `what code of the app threw has its own words, where there are any`(code: ErrandError.Code) {
        let plain = self.words(ErrandError(code, "x", cause: FixtureError()))
        #expect(plain == self.words(ErrandError(code, "x")))
        let isOfTheApp = [
            .interceptorFailed, .hookFailed, .callbackFailed, .authenticatorFailed, .validationFailed,
        ].contains(code)
        let told = self.words(ErrandError(code, "x", cause: Told()))
        #expect(told == (isOfTheApp ? ["No table is free.", plain[1], "Choose another evening."] : plain))
    }

    @Test(arguments: [402, 409, 413, 422])
    func `what the server does not accept is for who entered it`(status: Int) {
        var error = ErrandError(.unacceptableStatus, "x")
        error.context.status = HTTPStatus(rawValue: status)
        #expect(error.recoverySuggestion == "Check what was entered, and try again.")
    }

    @Test func `a file is not always in want of room`() {
        #expect(ErrandError(.fileFailed, "x").failureReason?.contains("folder") == true)
        #expect(ErrandError(.encodingFailed, "x").recoverySuggestion?.contains("still there") == true)
    }

    @Test(arguments: [400, 401, 403, 404, 408, 410, 418, 429, 500, 503, 599, 304])
    func `a status that is not accepted has words of its own`(status: Int) async throws {
        let world = FixtureWorld()
        world.transport.route("a", .status(HTTPStatus(rawValue: status)))
        let error = try #require(
            await #expect(throws: ErrandError.self) { try await world.client.send(FixtureText()) })
        let words = self.words(error)
        #expect(words.allSatisfy { words in words.hasSuffix(".") && !words.contains { $0.isNumber } })
        #expect(error.isClientError == (400..<500).contains(status))
        #expect(error.isServerError == (500..<600).contains(status))
        #expect((error as any Error).localizedDescription == words[0])
    }

    @Test(arguments: Self.codes)
    func `a question has one answer`(code: ErrandError.Code) {
        let error = ErrandError(code, "x")
        #expect(error.isConnectivity == [.hostNotFound, .cannotConnect, .connectionLost].contains(code))
        #expect(error.isTimeout == (code == .timedOut))
        #expect(error.isCancellation == (code == .cancelled))
        #expect(!error.isClientError && !error.isServerError)
    }

    @Test(arguments: Self.codes)
    func `a request was certainly not processed where there was no server, or the transport says so`(
        code: ErrandError.Code
    ) {
        var error = ErrandError(code, "words")
        #expect(error.isUnprocessed == [.hostNotFound, .cannotConnect].contains(code))
        error.context.isUnprocessed = true
        #expect(error.isUnprocessed)
    }
}
