internal import Errand
internal import ErrandLogging
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Logging: what lines say", .timeLimit(.minutes(60)), .paced)
struct LineTests {
    private static let time = "2001-02-03T04:05:06.789Z"

    @Test func `a request has a line when it starts and one when it stops`() async throws {
        let world = LogWorld()
        world.transport.route("*", .text("hello"))
        _ = try await world.client.send(LogCall("users") { $0.parameters = ["id": "1", "token": "s3cret"] })
        let target = "LogCall GET https://api.test/v1/users?id=1&token=***"
        #expect(
            await world.texts() == [
                "\(Self.time) # start \(target)", "\(Self.time) # done \(target) 200 network 5 B in 0.000 ms",
            ])
        #expect(world.sink.lines.map(\.severity) == [.info, .info])
    }

    @Test(arguments: [LogFormat.textWithoutTime, .json])
    func `a request that is traced ends with its place in the trace`(format: LogFormat) async throws {
        let world = LogWorld(format: format) { $0.interceptors = [TracingInterceptor(random: { 10 })] }
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(LogCall("users"))
        let (trace, span) = ("000000000000000a000000000000000a", "000000000000000a")
        let words =
            format == .json ? "\"trace_id\":\"\(trace)\",\"span_id\":\"\(span)\"" : " trace=\(trace)/\(span)"
        #expect(await world.texts().last?.contains(words) == true)
    }

    @Test func `what comes from the cache, fails or is cancelled says so`() async throws {
        let world = LogWorld(format: .textWithoutTime)
        let gate = StubGate()
        world.transport.route("/v1/good", .text("hello"))
        world.transport.route("/v1/held", StubReply.text("x").held(by: gate))
        world.transport.route("*", .text("gone", status: 410))
        let good = LogCall("good") { $0.options = .caching(.fresh(for: .seconds(60))) }
        _ = try await world.client.send(good)
        _ = try await world.client.send(good)
        _ = try? await world.client.send(LogCall("bad"))
        let task = Task { try await world.client.send(LogCall("held")) }
        await gate.waitUntilReached()
        task.cancel()
        _ = try? await task.value
        let lines = await world.texts()
        #expect(lines[3] == "# cached LogCall GET https://api.test/v1/good 200 cache 5 B in 0.000 ms")
        #expect(
            lines[5].hasPrefix(
                "# failed LogCall GET https://api.test/v1/bad 410 network 4 B in 0.000 ms unacceptableStatus \""))
        #expect(lines[7].hasPrefix("# cancelled LogCall GET https://api.test/v1/held in 0.000 ms cancelled \""))
        #expect(world.sink.lines.map(\.severity) == [.info, .info, .info, .info, .info, .error, .info, .info])
    }

    @Test func `lines that somebody else makes are lines, too`() {
        let lines = [LogLine("one\ntwo"), LogLine("three", severity: .error)]
        let batch = LogBatch(lines)
        #expect(batch.text == "one two\nthree\n")
        #expect(batch.lines == lines)
        #expect(batch.count == 2)
    }

    @Test func `children stand below their batch or chain, with their place in it`() async throws {
        let world = LogWorld(format: .textWithoutTime)
        world.transport.route("*", .text("x"))
        let batch = world.client.batch(of: [LogCall("0"), LogCall("1")], options: .tag("two words"))
        _ = try await batch.value
        _ = try await world.client.chain(LogCall("2")).then { _ in LogCall("3") }.value
        await world.log.flush()
        let lines = world.sink.texts
        #expect(lines.count == 12)
        #expect(lines[0] == "\(batch.id) start batch tag=\"two words\"")
        #expect(lines[5].hasPrefix("\(batch.id) done batch tag=\"two words\" in "))
        for position in 0...1 {
            let own = lines[1...4].filter { $0.hasPrefix("  \(batch.id)[\(position)] #") }
            #expect(own.count == 2)
            #expect(own.first?.hasSuffix("start LogCall tag=\"two words\" GET https://api.test/v1/\(position)") == true)
        }
        #expect(lines[6].hasSuffix(" start chain"))
        #expect(lines[7...10].allSatisfy { $0.hasPrefix("  #") })
        #expect(lines[9].contains("[1] #"))
        #expect(lines[11].contains(" done chain in "))
    }

    @Test func `JSON lines have members for all of that`() async throws {
        let world = LogWorld(format: .json)
        world.transport.route("/v1/good", .text("hello"))
        world.transport.route("*", .text("gone", status: 410))
        let batch = world.client.batch(
            of: [LogCall("good"), LogCall("bad?key=s3cret")], failure: .collectAll, options: .tag("t"))
        _ = await batch.outcomes
        let lines = try await world.objects()
        #expect(lines.count == 6)
        #expect(lines.allSatisfy { $0["time"] == .string(Self.time) && $0["tag"] == "t" })
        let parent = JSONValue.number(JSONValue.Number(Int(batch.id.rawValue)))
        #expect(lines[0]["id"] == parent && lines[0]["kind"] == "batch" && lines[0]["event"] == "start")
        let ends = lines[1...4].filter { $0["event"] != "start" }.sorted { one, _ in one["position"] == 0 }
        #expect(ends.allSatisfy { $0["parent"] == parent && $0["kind"] == "request" && $0["name"] == "LogCall" })
        #expect(ends[0]["event"] == "done" && ends[0]["status"] == 200 && ends[0]["source"] == "network")
        #expect(ends[0]["size"] == 5 && ends[0]["attempts"] == 1 && ends[0]["duration"] == 0)
        #expect(ends[0]["method"] == "GET" && ends[0]["url"] == "https://api.test/v1/good")
        #expect(ends[1]["event"] == "failed" && ends[1]["error"] == "unacceptableStatus")
        #expect(ends[1]["url"] == "https://api.test/v1/bad?key=***")
    }

    @Test func `heads and bodies come in between when asked for`() async throws {
        let world = LogWorld(level: .bodies(limit: 8), format: .textWithoutTime) {
            $0.options = $0.options.defaultHeaders(.off)
        }
        world.transport.route("*", .json(#"{"a":"bcdefg"}"#))
        let call = LogCall {
            $0.method = .post
            $0.body = .text("h\u{E9}llo")
            $0.headers = ["X-A": "1"]
        }
        _ = try await world.client.send(call)
        let lines = await world.texts()
        #expect(lines.count == 6)
        #expect(lines[1].hasPrefix("# request-head \"X-A: 1\""))
        #expect(lines[2] == "# request-body 6 B \"text/plain; charset=utf-8\" \"h\u{E9}llo\"")
        #expect(lines[3] == #"# response-head 200 "Content-Type: application/json""#)
        #expect(lines[4] == #"# response-body 14 B application/json "{\"a\":\"bc" ..."#)
        #expect(lines[5].contains("# done "))
    }

    @Test func `of an answer from the cache the head and the body show, too`() async throws {
        let world = LogWorld(level: .bodies(), format: .json)
        world.transport.route("*", .text("x"))
        let call = LogCall { $0.options = .caching(.fresh(for: .seconds(60))) }
        _ = try await world.client.send(call)
        _ = try await world.client.send(call)
        let words = try await world.objects().map { $0["event"] }
        #expect(
            words == [
                "start", "request-head", "response-head", "response-body", "done", "start", "request-head",
                "response-head", "response-body", "cached",
            ])
    }

    @Test func `times are those of the calendar, however odd`() async throws {
        let times: [(Double, String)] = [
            (0, "1970-01-01T00:00:00.000Z"), (-0.0005, "1969-12-31T23:59:59.999Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"), (4_107_542_400, "2100-03-01T00:00:00.000Z"),
            (1_735_689_599.9996, "2024-12-31T23:59:59.999Z"), (-.infinity, "1970-01-01T00:00:00.000Z"),
            (1e300, "9999-12-31T23:59:59.000Z"), (-1e300, "0000-01-01T00:00:00.000Z"),
        ]
        for (seconds, text) in times {
            let sink = MemorySink()
            let log = LoggingAccessory(to: sink, date: { Date(timeIntervalSince1970: seconds) })
            let transport = StubTransport()
            let client = Client {
                $0.transport = transport
                $0.accessories = [log]
            }
            _ = try? await client.send(LogCall("http://a.test/"))
            await log.flush()
            #expect(sink.texts.first?.hasPrefix(text + " ") == true, "\(sink.texts)")
        }
    }
}
