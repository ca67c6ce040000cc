internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// Cases of the catalogue of what YTKNetwork and AFNetworking do, by their ids.
@Suite("Parity: responses", .timeLimit(.minutes(60)), .paced)
struct ValidationParityTests {
    private func outcome<Response: Sendable>(
        _ reply: StubReply, _: Response.Type, _ configure: (inout ParityCall<Response>) -> Void = { _ in }
    ) async -> Result<Response, ErrandError> where Response: Decodable {
        var call = ParityCall<Response>()
        configure(&call)
        return await self.send(call, reply)
    }

    private func send<E: Endpoint>(_ endpoint: E, _ reply: StubReply) async -> Result<E.Response, ErrandError> {
        let world = FixtureWorld()
        world.transport.route("*", reply)
        do throws(ErrandError) {
            return .success(try await world.client.send(endpoint))
        } catch {
            #expect(error.context.status != nil)
            #expect(error.context.headers != nil)
            #expect(error.context.body != nil)
            return .failure(error)
        }
    }

    private func reply(_ body: String, _ type: String?, _ status: HTTPStatus = 200) -> StubReply {
        .data(Data(body.utf8), status: status, headers: type.map { ["Content-Type": $0] } ?? [:])
    }

    private func codes(_ result: Result<some Any, ErrandError>) -> [ErrandError.Code] {
        var codes: [ErrandError.Code] = []
        var error = result.fixtureFailure
        while let found = error {
            codes.append(found.code)
            error = found.cause as? ErrandError
        }
        return codes
    }

    // MARK: - Shapes and status

    @Test(
        "T17–T20, D1, D2: shapes",
        arguments: [
            ("T17", #"{"son":{"age":14},"name":"family"}"#, ["son": .object, "name": .string], true),
            ("T18", #"{"son":{"age":14},"name":"family"}"#, ["son": .object, "name": .number], false),
            ("T19", "[1,2]", [.number], true), ("T19", "[1,2]", [.string], false),
            ("T20", #"[{"values":[]}]"#, [["values": []]], true),
            ("D1", "{}", ["a": .string], false), ("D1", #"{"a":null}"#, ["a": .string], true),
            ("D1", #"{"a":"x","b":1}"#, ["a": .string], true), ("D2", #"["x",null]"#, [.string], false),
        ] as [(String, String, JSONValue.Shape, Bool)])
    func shapes(id: String, json: String, shape: JSONValue.Shape, isValid: Bool) async {
        let result = await self.outcome(.json(json), JSONValue.self) { $0.validation.shape = shape }
        #expect(self.codes(result) == (isValid ? [] : [.unacceptableShape]))
    }

    @Test("T21: a shape over a real connection")
    func shapeOverLoopback() async throws {
        let server = try LoopbackServer()
        server.route("GET", "/a", .json(#"{"headers":{"Host":"h"},"args":{}}"#))
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
        }
        var call = ParityCall<JSONValue>()
        call.validation.shape = ["headers": .object, "args": .object]
        _ = try await client.send(call)
        call.validation.shape = ["headers": .object, "args": .string]
        let error = await #expect(throws: ErrandError.self) { try await client.send(call) }
        #expect(error?.code == .unacceptableShape)
        #expect(error?.message == "$.args: expected string, found object")
        server.stop()
    }

    @Test("T22: only 418 is accepted", arguments: [(418, true), (200, false)])
    func teapot(status: Int, isValid: Bool) async {
        let result = await self.outcome(.json("{}", status: HTTPStatus(rawValue: status)), JSONValue.self) {
            $0.validation.statusCodes = [418] as Set
        }
        #expect(self.codes(result) == (isValid ? [] : [.unacceptableStatus]))
    }

    @Test(
        "T23: an endpoint of XML; Errand looks through the document, where AFNetworking answers a parser not yet started"
    )
    func xml() async {
        let xml = await self.send(ParityTree(), self.reply("<a/>", "application/xml"))
        #expect(xml.fixtureSuccess?.name == "a")
        #expect(
            self.codes(await self.send(ParityTree(), self.reply("{}", "application/json"))) == [
                .unacceptableContentType
            ])
        #expect(self.codes(await self.send(ParityTree(), self.reply("<a>", "application/xml"))) == [.decodingFailed])
    }

    @Test("D3: an empty body passes any shape", arguments: ["", " "])
    func emptyBodyAndShape(body: String) async {
        let result = await self.outcome(self.reply(body, "application/json"), JSONValue.self) {
            $0.validation.shape = ["a": .string]
        }
        #expect(result.fixtureSuccess == .null)
    }

    @Test("D4: 404 with a type that is not accepted, and with no body; the status comes first here, as in AFNetworking")
    func notFound() async {
        let html = await self.outcome(self.reply("<p>no</p>", "text/html", 404), JSONValue.self)
        #expect(self.codes(html) == [.unacceptableStatus, .unacceptableContentType])
        let empty = await self.outcome(self.reply("", "text/html", 404), JSONValue.self)
        #expect(self.codes(empty) == [.unacceptableStatus])
        // YTKNetwork lets all status codes pass at first, and so names the content type.
        let any = await self.outcome(self.reply("<p>no</p>", "text/html", 404), JSONValue.self) {
            $0.validation.statusCodes = 100...599
        }
        #expect(self.codes(any) == [.unacceptableContentType])
    }

    // MARK: - Serializers

    @Test("T64: each status of success, and of failure", arguments: Array(200...299) + Array(400...599))
    func statusCodes(status: Int) async {
        let call = ParityCall<Data>()
        let result = await self.send(call, self.reply("<p>text</p>", "text/html", HTTPStatus(rawValue: status)))
        #expect(self.codes(result) == (status < 300 ? [] : [.unacceptableStatus]))
        #expect((result.fixtureFailure?.context.body ?? result.fixtureSuccess) == Data("<p>text</p>".utf8))
    }

    @Test("T65: a 205 without a type, without a body and with one", arguments: [("", true), ("test", false)])
    func missingType(body: String, isValid: Bool) async {
        let result = await self.outcome(self.reply(body, nil, 205), String.self) {
            $0.validation.contentTypes = [.html]
        }
        #expect(self.codes(result) == (isValid ? [] : [.unacceptableContentType]))
    }

    @Test(
        "T66: the types of JSON",
        arguments: [
            ("application/json", true), ("text/json", true), ("text/javascript", true), ("nonstandard/json", false),
            ("application/problem+json; charset=utf-8", true), ("text/html", false), ("application/xml", false),
        ])
    func typesOfJSON(type: String, isValid: Bool) async {
        let result = await self.outcome(self.reply("{}", type), JSONValue.self)
        #expect(self.codes(result) == (isValid ? [] : [.unacceptableContentType]))
        // What YTKNetwork could not: the types are a setting.
        let widened = await self.outcome(self.reply("{}", type), JSONValue.self) {
            $0.validation.contentTypes = ["*/*"]
        }
        #expect(self.codes(widened) == [])
    }

    @Test("T67: an object; what is not JSON", arguments: [(#"{"key":"value"}"#, true), ("{invalid}", false)])
    func validJSON(json: String, isValid: Bool) async {
        let result = await self.outcome(.json(json), [String: String].self)
        #expect(self.codes(result) == (isValid ? [] : [.decodingFailed]))
    }

    @Test("T70: a copy that is changed leaves the other alone; validations are values, and archived by nobody")
    func copies() async {
        let validation = ResponseValidation(statusCodes: 200...201, contentTypes: [.json], shape: [.number])
        var copy = validation
        copy.statusCodes = 418...418
        copy.contentTypes = [.html]
        copy.shape = nil
        #expect(validation.statusCodes.contains(200) && !copy.statusCodes.contains(200))
        #expect(validation.contentTypes == [.json])
        #expect(validation.shape == [.number])
    }

    @Test(
        "T71: the types of XML",
        arguments: [
            ("application/xml", true),
            ("text/xml; charset=utf-8", true),
            ("application/rss+xml", true),
            ("nonstandard/xml", false),
        ])
    func typesOfXML(type: String, isValid: Bool) async {
        let result = await self.send(ParityTree(), self.reply("<a/>", type))
        #expect(self.codes(result) == (isValid ? [] : [.unacceptableContentType]))
    }

    @Test("T75: an empty 200 of another type, and a 204, under JSON", arguments: [200, 204])
    func emptyUnderJSON(status: Int) async {
        let reply = self.reply("", "text/html", HTTPStatus(rawValue: status))
        #expect(await self.outcome(reply, JSONValue?.self).fixtureSuccess == .some(nil))
        // Errand's difference: a type that cannot be nothing needs a body.
        #expect(self.codes(await self.outcome(reply, [String: Int].self)) == [.decodingFailed])
    }

    @Test("T76: a HEAD")
    func head() async throws {
        let server = try LoopbackServer()
        server.route("HEAD", "/a", .json(#"{"key":"value"}"#))
        let client = Client(baseURL: server.baseURL) {
            $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
        }
        var call = ParityCall<[String: String]?>()
        call.method = .head
        let response = try await client.response(for: call)
        #expect(response.value == nil)
        #expect(response.head.contentType == .json)
        server.stop()
    }

    // MARK: - Several failures at once

    @Test("D30: the body of a failure can be read from the error")
    func bodyOfFailure() async throws {
        struct Problem: Decodable, Equatable { let message: String }
        let result = await self.outcome(.json(#"{"message":"no"}"#, status: 400), [Int].self)
        #expect(self.codes(result) == [.unacceptableStatus])
        #expect(try result.fixtureFailure?.decode(Problem.self) == Problem(message: "no"))
    }

    @Test("D31: 500 and text/html under JSON: the status, with the type behind it")
    func statusAndType() async {
        let result = await self.outcome(self.reply("<p>no</p>", "text/html", 500), [Int].self)
        #expect(self.codes(result) == [.unacceptableStatus, .unacceptableContentType])
    }

    @Test("D32: 500 and malformed JSON: the parser's error, with the status behind it")
    func statusAndSyntax() async {
        let result = await self.outcome(.json(#"{"message":"#, status: 500), [Int].self)
        #expect(self.codes(result) == [.decodingFailed, .unacceptableStatus])
        #expect(result.fixtureFailure?.context.status == 500)
        let xml = await self.send(ParityTree(), self.reply("<a>", "text/xml", 500))
        #expect(self.codes(xml) == [.decodingFailed, .unacceptableStatus])
        let list = await self.send(ParityList(), self.reply("<plist><array>", "application/x-plist", 500))
        #expect(self.codes(list) == [.decodingFailed, .unacceptableStatus])
    }

    @Test func `a body that is JSON, only not of the type, leaves the status in front`() async {
        let result = await self.outcome(.json(#"{"message":"no"}"#, status: 500), [Int].self)
        #expect(self.codes(result) == [.unacceptableStatus])
    }

    @Test func `a shape comes before a check, and what the app threw is behind that`() async {
        let result = await self.outcome(.json("[1]"), JSONValue.self) {
            $0.validation.shape = [.string]
            $0.validation.checks = [
                { _ in }, { _ in throw FixtureError() }, { _ in throw FixtureError(description: "late") },
            ]
        }
        #expect(self.codes(result) == [.unacceptableShape, .validationFailed])
        let check = result.fixtureFailure?.cause as? ErrandError
        #expect(check?.cause as? FixtureError == FixtureError())
        #expect(check?.message == "the response was not accepted: a failure of the app")
    }

    @Test func `a shape asks for JSON, by its type and its syntax`() async {
        func ask(_ reply: StubReply, _ types: [MIMEType]? = nil) async -> [ErrandError.Code] {
            var call = ParityCall<Data>()
            call.validation = ResponseValidation(contentTypes: types, shape: [.number])
            return self.codes(await self.send(call, reply))
        }
        #expect(await ask(self.reply("[1]", "application/json")) == [])
        #expect(await ask(self.reply("[1]", "text/plain")) == [.unacceptableContentType])
        #expect(await ask(self.reply("[1]", "text/plain"), ["text/*"]) == [])
        #expect(await ask(self.reply("[1", "application/json")) == [.decodingFailed])
    }

    @Test func `a large body is looked through apart from the actor, with the same result`() async {
        let body = "[" + String(repeating: "1,", count: 100_000) + "\"x\"]"
        let result = await self.outcome(.json(body), JSONValue.self) { $0.validation.shape = [.number] }
        #expect(result.fixtureFailure?.message == "$[100000]: expected number, found string")
        #expect(result.fixtureFailure?.context.body?.count == ErrandError.Context.bodyLimit)
    }
}

/// A call for JSON, or for bytes and texts, whose validation can be set.
private struct ParityCall<Response: Decodable & Sendable>: Endpoint {
    var path: EndpointPath = "a"
    var method = HTTPMethod.get
    var validation = ResponseValidation.success

    var decoder: ResponseDecoder<Response> {
        if let decoder = ResponseDecoder.data as? ResponseDecoder<Response> { return decoder }
        if let decoder = ResponseDecoder.text as? ResponseDecoder<Response> { return decoder }
        return ResponseDecoder.json
    }
}

private struct ParityTree: Endpoint {
    typealias Response = XMLTree
    var path: EndpointPath = "a"
}

private struct ParityList: Endpoint {
    typealias Response = [String: String]
    var path: EndpointPath = "a"
    var decoder: ResponseDecoder<Response> { .plist }
}
