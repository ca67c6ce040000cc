internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Logging: secrets", .timeLimit(.minutes(60)), .paced)
struct SecretTests {
    private static let secret = "hunter2"

    private func expectHidden(
        _ world: LogWorld, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let lines = await world.texts()
        #expect(lines.count >= 2, sourceLocation: sourceLocation)
        #expect(!lines.contains { $0.contains(Self.secret) }, "\(lines)", sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        "https://ann:hunter2@api.test/a", "https://hunter2@api.test/a", "a?token=hunter2", "a?x=1&API_KEY=hunter2",
        "a?%74oken=hunter2", "a?tok%65n=hunter2&b", "a?x=1;password=hunter2", "a?user%5Bpassword%5D=hunter2",
        "a?X-Amz-Signature=hunter2", "a?%FFpassw%6Frd=hunter2", "a#hunter2", "a?b#access_token=hunter2",
        "a?secret=a=hunter2", "a?mine=hunter2", "a?MI%6Ee=hunter2", "a?to=https://b.test/?token=hunter2",
        "a?to=https%3A%2F%2Fb.test%2F%3Ftoken%3Dhunter2", "a?to=https://ann:hunter2@b.test/",
        "a?to=https%253A%252F%252Fb.test%252F%253Ftoken%253Dhunter2",
    ])
    func `in a URL`(url: String) async {
        for format in [LogFormat.text, .json] {
            let world = LogWorld(level: .bodies(), format: format, secretNames: ["Mine"])
            world.transport.route("*", .text("x"))
            _ = try? await world.client.send(LogCall(url))
            await self.expectHidden(world)
        }
    }

    @Test func `in header fields of requests`() async {
        let world = LogWorld(level: .heads, secretNames: ["X-Mine"]) { $0.credentials.secretHeaders = ["X-Own"] }
        world.transport.route("*", .text("x"))
        let call = LogCall {
            $0.headers = [
                "Authorization": "Bearer hunter2", "Proxy-Authorization": "hunter2 v2", "Cookie": "a=hunter2",
                "X-Api-Key": "hunter2", "X-Auth-Token": "hunter2", "x-own": "hunter2", "x-mine": "hunter2",
                "Referer": "https://ann:hunter2@b.test/?token=hunter2#hunter2", "X-Id": "shown",
                "X-Forwarded-Url": "see https://ann:hunter2@b.test/?sig=hunter2",
            ]
        }
        _ = try? await world.client.send(call)
        await self.expectHidden(world)
        let lines = await world.texts()
        #expect(lines[1].contains("\"Authorization: Bearer ***\""))
        #expect(lines[1].contains("\"X-Id: shown\""))
        #expect(lines[1].contains("\"X-Forwarded-Url: see https://b.test/?sig=***\""))
    }

    @Test func `in header fields of responses, and on the way of redirections`() async {
        let world = LogWorld(level: .heads) { $0.credentials.secretHeaders = ["X-Own"] }
        world.transport.route(
            "/v1/a",
            .data(
                Data(), status: 302,
                headers: ["Location": "https://ann:hunter2@b.test/z?code=hunter2#hunter2", "Set-Cookie": "a=hunter2"]))
        world.transport.route(
            "*",
            .data(
                Data(), status: 500,
                headers: [
                    "X-Own": "hunter2", "X-Session": "hunter2", "Link": "<https://c.test/?key=hunter2>; rel=next",
                    "X-Error-Code": "17", "WWW-Authenticate": "Bearer realm=\"r\"",
                ]))
        _ = try? await world.client.send(LogCall("a"))
        await self.expectHidden(world)
        let lines = await world.texts()
        #expect(lines.contains { $0.contains("\"Location: https://b.test/z?code=***\"") })
        #expect(lines.contains { $0.contains("\"X-Error-Code: 17\"") && $0.contains("realm=") })
    }

    @Test(arguments: [
        "GET https://ann:hunter2@b.test/a?x=1 failed", "see https://b.test/?token=hunter2.",
        "Authorization: Bearer hunter2",
        "the header Cookie: a=hunter2; b=hunter2", "{\"password\":\"hunter2\"}",
        "[\"token\": \"hun\\\"hunter2\"]",
        "password=hunter2", "%70assword = hunter2", "got Basic hunter2", "user[password]=hunter2",
        "{\\\"api_key\\\":\\\"hunter2\\\"}", "https://b.test/cb#access_token=hunter2", "secret: {a: hunter2}",
        "Proxy-Authorization: Digest username=x, response=hunter2", "client_secret='hunter2'", "mine: hunter2",
    ])
    func `in the message of an error`(message: String) async {
        let world = LogWorld(level: .heads, secretNames: ["mine"])
        world.transport.route("*", .failure(.transportFailed, message))
        _ = try? await world.client.send(LogCall())
        await self.expectHidden(world)
    }

    @Test(arguments: [
        ("application/json", #"{"to": "https://b.test/?token=hunter2", "a": "b"}"#, true),
        ("application/json", #"["https:\/\/b.test\/?x=1&password=hunter2"#, true),
        ("text/plain", #"{"access_token": "hunter2"}"#, true), ("text/yaml", "password: hunter2", true),
        ("application/json", #"{"user":"ann","password":"hunter2"}"#, true),
        ("application/json", #"{"pass\u0077ord":"hunter2","#, true),
        ("application/vnd.api+json; charset=utf-8", #"[{"token":{"a":["hunter2"]}}, 1]"#, true),
        ("application/json", #"{'password':'hunter2'}"#, true), ("application/json", "password: hunter2", true),
        ("application/x-ndjson", "{\"a\":1}\n{\"pin\":\"hunter2\"}", true),
        ("application/json", #"{"mine":"hunter2"}"#, true),
        ("application/x-www-form-urlencoded", "a=1&hunter2", false),
        ("multipart/form-data; boundary=b", "--b\r\n\r\nhunter2", false),
        ("application/octet-stream", "hunter2", false), ("", "hunter2", false),
    ])
    func `in a body`(type: String, body: String, isShown: Bool) async {
        let world = LogWorld(level: .bodies(), secretNames: ["mine"])
        world.transport.route("*", .data(Data(body.utf8), headers: type.isEmpty ? [:] : ["Content-Type": type]))
        let call = LogCall {
            $0.method = .post
            $0.body = .bytes(Data(body.utf8), contentType: MIMEType(type) ?? "application/octet-stream")
        }
        _ = try? await world.client.send(call)
        await self.expectHidden(world)
        let bodies = await world.texts().filter { $0.contains("-body ") }
        #expect(bodies.count == 2)
        #expect(
            bodies.allSatisfy { $0.contains("***") == isShown && $0.contains(" \(body.utf8.count) B ") }, "\(bodies)")
    }

    @Test func `a form shows when asked for, but for its secrets`() async {
        let world = LogWorld(level: .bodies(), showsForms: true)
        world.transport.route("*", .text("x"))
        let call = LogCall {
            $0.method = .post
            $0.body = .form(["user": "ann", "password": "hunter2"])
        }
        _ = try? await world.client.send(call)
        await self.expectHidden(world)
        #expect(await world.texts().contains { $0.contains("password=***") && $0.contains("user=ann") })
    }

    @Test func `a body that is cut hides what is secret in its beginning`() async {
        let body = #"{"id":1,"token":"hunter2hunter2hunter2","name":"x"}"#
        for limit in 0...body.utf8.count {
            let world = LogWorld(level: .bodies(limit: limit), format: .textWithoutTime)
            world.transport.route("*", .json(body))
            _ = try? await world.client.send(LogCall())
            let lines = await world.texts()
            #expect(!lines.contains { $0.contains("hun") }, "\(lines)")
        }
    }

    @Test func `files and streams show their size only`() async throws {
        let folder = try TestFolder()
        try Data("hunter2".utf8).write(to: folder.file("f"))
        let world = LogWorld(level: .bodies(), format: .textWithoutTime)
        world.transport.route("*", .text("x"))
        for body in [RequestBody.file(folder.file("f")), .stream(BodyStream { { nil } })] {
            let call = LogCall {
                $0.method = .post
                $0.body = body
            }
            _ = try? await world.client.send(call)
        }
        await self.expectHidden(world)
        let bodies = await world.texts().filter { $0.contains("request-body") }
        #expect(bodies.first?.hasPrefix("# request-body 7 B ") == true && bodies.first?.hasSuffix(" (file)") == true)
        #expect(bodies.last?.hasSuffix(" (stream)") == true)
    }
}
