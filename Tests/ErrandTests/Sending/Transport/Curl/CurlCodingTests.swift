internal import Errand
internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("CurlTransport and bodies with a coding", .timeLimit(.minutes(60)), .paced)
    struct CurlCodingTests {
        private static let notWhole = "is truncated"

        // MARK: - Whole bodies

        @Test(arguments: PackedText.all, CodingScene.Way.allCases)
        func `what is whole is decoded, however it comes`(_ packed: PackedText, _ way: CodingScene.Way) async throws {
            let replies = (0..<3).map { PackedText.reply(packed.bytes, packed.coding, framing: $0) }
            for outcome in try await CodingScene.outcomes(of: replies, into: way) {
                #expect(try outcome.get() == PackedText.text)
            }
        }

        @Test(arguments: CodingScene.Way.allCases)
        func `members and frames behind each other are one body`(_ way: CodingScene.Way) async throws {
            for packed in [PackedText.gzip, .zstd] {
                let twice = (0..<3).map { PackedText.reply(packed.bytes + packed.bytes, packed.coding, framing: $0) }
                for outcome in try await CodingScene.outcomes(of: twice, into: way) {
                    #expect(try outcome.get() == PackedText.text + PackedText.text)
                }
            }
        }

        @Test func `no bytes at all are an empty body`() async throws {
            let replies = PackedText.all.flatMap { packed in
                (0..<3).map { PackedText.reply(Data(), packed.coding, framing: $0) }
            }
            for outcome in try await CodingScene.outcomes(of: replies) { #expect(try outcome.get() == Data()) }
        }

        @Test(arguments: ["HEAD", "GET"])
        func `a response without a body needs no decoding`(_ method: String) async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            let status = method == "HEAD" ? "200 OK" : "304 Not Modified"
            let head = "HTTP/1.1 \(status)\r\nContent-Encoding: gzip\r\nContent-Length: 66\r\n\r\n"
            server.fallback { _ in LoopbackReply(.bytes(Data(head.utf8))) }
            let url = try HTTPURL("http://127.0.0.1:\(server.port)/")
            let request = HTTPRequest(method: HTTPMethod(rawValue: method), url: url)
            let call = CurlExchangeCall(request, into: .memory(limit: 100))
            #expect(try await call.outcome(over: CurlTransport()).get() == Data())
        }

        @Test(arguments: [nil, "gzip"], CodingScene.Way.allCases)
        func `a part is asked for without a coding, and one that it has is left on it`(
            _ own: String?, _ way: CodingScene.Way
        ) async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            let (whole, coding) = (PackedText.gzip.bytes, PackedText.gzip.coding)
            server.route(
                "GET", "/part",
                .data(
                    whole.prefix(20), status: 206,
                    headers: ["Content-Encoding": coding, "Content-Range": "bytes 0-19/\(whole.count)"]))
            var fields: HTTPFields = ["Range": "bytes=0-19"]
            if let own { fields["Accept-Encoding"] = own }
            var call = try CurlExchangeCall(server, "/part", headers: fields)
            call.destination = way.destination
            #expect(try await call.outcome(over: CurlTransport()).get() == whole.prefix(20))
            #expect(server.received.last?.header("Accept-Encoding") == own ?? "identity")
        }

        // MARK: - Bodies that are not whole

        @Test(arguments: PackedText.all, CodingScene.Way.allCases)
        func `what ends early is an error, wherever it ends`(_ packed: PackedText, _ way: CodingScene.Way) async throws
        {
            let counts = Array(1..<packed.bytes.count)
            let replies = counts.map { PackedText.reply(packed.bytes.prefix($0), packed.coding, framing: $0) }
            for (count, outcome) in zip(counts, try await CodingScene.outcomes(of: replies, into: way)) {
                let error = #expect(throws: ErrandError.self, "\(count) bytes") { try outcome.get() }
                #expect(error?.code == .invalidResponse)
                #expect(error?.message == "the \(packed.coding) body is truncated", "\(count) bytes")
            }
        }

        @Test(arguments: [PackedText.gzip, .zstd], CodingScene.Way.allCases)
        func `a second part that ends early is an error`(_ packed: PackedText, _ way: CodingScene.Way) async throws {
            let counts = Array(1..<packed.bytes.count)
            let replies = counts.map {
                PackedText.reply(packed.bytes + packed.bytes.prefix($0), packed.coding, framing: $0)
            }
            for (count, outcome) in zip(counts, try await CodingScene.outcomes(of: replies, into: way)) {
                let error = #expect(throws: ErrandError.self, "\(count) bytes") { try outcome.get() }
                #expect(error?.message.contains(Self.notWhole) == true, "\(count) bytes")
            }
        }

        @Test(arguments: PackedText.all, CodingScene.Way.allCases)
        func `bytes behind the end are an error`(_ packed: PackedText, _ way: CodingScene.Way) async throws {
            let rests = [Data([0]), Data([0xFF]), Data("\n".utf8), Data(count: 4), Data(count: 512), PackedText.text]
            let replies = rests.flatMap { rest in
                (0..<3).map { PackedText.reply(packed.bytes + rest, packed.coding, framing: $0) }
            }
            for outcome in try await CodingScene.outcomes(of: replies, into: way) {
                let error = #expect(throws: ErrandError.self) { try outcome.get() }
                #expect(error?.code == .invalidResponse)
                #expect(error?.message.contains("bytes after its end") == true, "\(error?.message ?? "")")
            }
        }

        @Test(arguments: PackedText.all.filter { $0.trailer > 0 }, CodingScene.Way.allCases)
        func `a wrong checksum or length is an error`(_ packed: PackedText, _ way: CodingScene.Way) async throws {
            let places = packed.bytes.indices.suffix(packed.trailer).flatMap { place in (0..<8).map { (place, $0) } }
            let replies = places.map { place, bit in
                var bytes = packed.bytes
                bytes[place] ^= 1 << UInt8(bit)
                return PackedText.reply(bytes, packed.coding, framing: bit)
            }
            for (place, outcome) in zip(places, try await CodingScene.outcomes(of: replies, into: way)) {
                let error = #expect(throws: ErrandError.self, "\(place)") { try outcome.get() }
                #expect(error?.code == .invalidResponse)
                #expect(error?.message.contains("cannot be decoded") == true, "\(error?.message ?? "")")
            }
        }

        @Test(arguments: PackedText.all, [1, 2, 3] as [UInt64])
        func `what was changed anywhere is an error or the same text`(_ packed: PackedText, _ seed: UInt64) async throws
        {
            var random = SplitMix64(seed: seed)
            let replies = (0..<TestEffort.rounds(of: 300)).map { number in
                var bytes = packed.bytes
                for _ in 0...random.next(below: 3) {
                    bytes[random.next(below: bytes.count)] ^= 1 << UInt8(random.next(below: 8))
                }
                return PackedText.reply(bytes, packed.coding, framing: number)
            }
            var errors = 0
            for outcome in try await CodingScene.outcomes(of: replies) {
                switch outcome {
                // Without a checksum there is nothing to tell it by.
                case .success(let data): #expect(data == PackedText.text || packed.trailer == 0)
                case .failure(let error):
                    errors += 1
                    #expect(error.code == .invalidResponse, "\(error)")
                }
            }
            #expect(errors > replies.count / 15)
        }

        // MARK: - Names of codings

        @Test(arguments: ["gzip", "GZIP", "x-gzip", "gzip, identity", " , gzip,", "none, gzip"])
        func `a name means the same in other letters and beside identity`(_ name: String) async throws {
            let outcomes = try await CodingScene.outcomes(of: [PackedText.reply(PackedText.gzip.bytes, name)])
            #expect(try outcomes[0].get() == PackedText.text)
        }

        @Test(arguments: ["", "identity", "none", "identity, identity"])
        func `without a coding a body comes as it is`(_ name: String) async throws {
            let outcomes = try await CodingScene.outcomes(of: [PackedText.reply(PackedText.text, name)])
            #expect(try outcomes[0].get() == PackedText.text)
        }

        @Test(arguments: PackedText.all, CodingScene.Way.allCases)
        func `codings over each other are taken off one after another`(
            _ packed: PackedText, _ way: CodingScene.Way
        ) async throws {
            let (outer, inner) = try (Self.gzip(packed.bytes), Self.gzip(packed.bytes.dropLast(2)))
            let replies = (0..<3).flatMap { framing in
                [
                    PackedText.reply(outer, "\(packed.coding), gzip", framing: framing),
                    PackedText.reply(outer.dropLast(), "\(packed.coding), gzip", framing: framing),
                    PackedText.reply(inner, "\(packed.coding), gzip", framing: framing),
                ]
            }
            let outcomes = try await CodingScene.outcomes(of: replies, into: way)
            for start in [0, 3, 6] {
                #expect(try outcomes[start].get() == PackedText.text)
                let outerError = #expect(throws: ErrandError.self) { try outcomes[start + 1].get() }
                #expect(outerError?.message == "the gzip body is truncated")
                let innerError = #expect(throws: ErrandError.self) { try outcomes[start + 2].get() }
                #expect(innerError?.message == "the \(packed.coding) body is truncated")
            }
        }

        private static func gzip(_ data: Data) throws -> Data {
            guard case .bytes(let packed)? = try RequestBody.bytes(data).gzipped().encoded()?.body else {
                return Data()
            }
            return packed
        }

        @Test(arguments: ["odd", "gzip, odd", "odd, gzip", "gzip;q=1", "gzip br", "gzip, gzip, gzip, gzip, gzip, gzip"])
        func `a coding that is not known, or one too many, is an error`(_ names: String) async throws {
            let replies = [PackedText.reply(PackedText.gzip.bytes, names), PackedText.reply(Data(), names)]
            let outcomes = try await CodingScene.outcomes(of: replies)
            let error = #expect(throws: ErrandError.self) { try outcomes[0].get() }
            #expect(error?.code == .invalidResponse)
            #expect(error?.message.contains("coding") == true)
            #expect(try outcomes[1].get() == Data())
        }

        @Test(arguments: ["gzip, chunked", "deflate, chunked", "odd, chunked"])
        func `a transfer coding that nobody asked for is an error`(_ names: String) async throws {
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(names)\r\n\r\n"
            let replies = [PackedText.gzip.bytes, PackedText.gzip.bytes.dropLast(9)].map { bytes in
                let chunk = Data("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Data("\r\n0\r\n\r\n".utf8)
                return LoopbackReply(.bytes(Data(head.utf8) + chunk), .close)
            }
            for outcome in try await CodingScene.outcomes(of: replies) {
                let error = #expect(throws: ErrandError.self) { try outcome.get() }
                #expect(error?.code == .invalidResponse)
            }
        }

        @Test(arguments: ["aws-chunked", "utf-8", "binary", "gzip", "gzip, gzip, gzip"], CodingScene.Way.allCases)
        func `codings are left on where the settings say so`(_ name: String, _ way: CodingScene.Way) async throws {
            let replies = (0..<3).map { PackedText.reply(PackedText.gzip.bytes, name, framing: $0) }
            let settings = TransportSettings.with { $0.decodesContent = false }
            for outcome in try await CodingScene.outcomes(of: replies, into: way, settings) {
                #expect(try outcome.get() == PackedText.gzip.bytes)
            }
        }

        @Test func `an unknown coding is refused with a message that names the setting`() async throws {
            let outcome = try await CodingScene.outcomes(of: [PackedText.reply(PackedText.text, "aws-chunked")])[0]
            let error = #expect(throws: ErrandError.self) { try outcome.get() }
            #expect(error?.message.contains("TransportSettings.decodesContent") == true, "\(error?.message ?? "")")
        }

        // MARK: - Work in turns

        /// 128 MiB in 4 KiB: one callback of libcurl's would decode all of it.
        @Test func `a cancellation ends a body that becomes far larger, after one more turn`() async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            let packed = PackedZeros.zstd(blocks: 1024)
            server.route("GET", "/packed", .data(packed, headers: ["Content-Encoding": "zstd"]))
            let url = try HTTPURL("http://127.0.0.1:\(server.port)/packed")
            let received = Locked<Int64>(0)
            let exchange = Locked<Task<HTTPResponse, any Error>?>(nil)
            let context = ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 1 << 30)) {
                event in
                guard case .received(let progress) = event else { return }
                received.withLock { $0 = progress.bytes }
                exchange.withLock(\.self)?.cancel()
            }
            let transport = CurlTransport()
            defer { transport.shutdown() }
            let start = AsyncStream<Void>.makeStream()
            let task = Task<HTTPResponse, any Error> {
                for await _ in start.stream { break }
                return try await transport.exchange(HTTPRequest(url: url), context)
            }
            exchange.withLock { $0 = task }
            start.continuation.yield()
            let error = await #expect(throws: ErrandError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            #expect(received.withLock(\.self) < 1 << 20)
            #expect(await transport.ledger()?.active == 0)
        }

        // MARK: - What is sent and told

        @Test func `a request asks for no coding where codings are left on`() async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/") { _ in .text("") }])
            defer { server.stop() }
            let transport = CurlTransport(settings: .with { $0.decodesContent = false })
            for fields in [[:], ["Accept-Encoding": "gzip"]] as [HTTPFields] {
                _ = try await CurlExchangeCall(server, "/", headers: fields).outcome(over: transport).get()
            }
            #expect(server.received.map { $0.header("Accept-Encoding") } == ["identity", "gzip"])
        }

        @Test func `a request names what can be decoded, unless it says something else`() async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/") { _ in .text("") }])
            defer { server.stop() }
            let transport = CurlTransport()
            for fields in [[:], ["accept-encoding": "identity"], [:]] as [HTTPFields] {
                _ = try await CurlExchangeCall(server, "/", headers: fields).outcome(over: transport).get()
            }
            let sent = server.received.map { $0.headers.values(of: "Accept-Encoding") }
            #expect(sent == [["gzip, deflate, br, zstd"], ["identity"], ["gzip, deflate, br, zstd"]])
        }

        @Test(arguments: CodingScene.Way.allCases)
        func `progress counts what comes out, and knows no total`(_ way: CodingScene.Way) async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            server.fallback { _ in PackedText.reply(PackedText.gzip.bytes, "gzip", framing: 2) }
            let events = Locked<[TransferProgress]>([])
            let url = try HTTPURL("http://127.0.0.1:\(server.port)/")
            let context = ExchangeContext(requestID: .next(), attempt: 1, destination: way.destination) { event in
                if case .received(let progress) = event { events.withLock { $0.append(progress) } }
            }
            let transport = CurlTransport()
            defer { transport.shutdown() }
            let response = try await transport.exchange(HTTPRequest(url: url), context)
            switch response.body {
            case .stream(let stream): for try await _ in stream {}
            case .file(let file): try FileManager.default.removeItem(at: file)
            case .bytes: break
            }
            #expect(response.headers["Content-Encoding"] == "gzip")
            let progress = events.withLock(\.self)
            #expect(progress.last?.bytes == Int64(PackedText.text.count))
            #expect(progress.allSatisfy { $0.total == nil } && progress.map(\.bytes) == progress.map(\.bytes).sorted())
        }

        @Test(arguments: [1, 1000, 1 << 16])
        func `a reader who is behind gets all of what is packed well`(_ buffer: Int) async throws {
            let zeros = PackedZeros.deflate(matches: 4000)
            let server = try LoopbackServer()
            defer { server.stop() }
            let twice = try Self.gzip(zeros)
            server.route("GET", "/once", .data(zeros, headers: ["Content-Encoding": "deflate"]))
            server.route("GET", "/twice", .data(twice, headers: ["Content-Encoding": "deflate, gzip"]))
            let transport = CurlTransport()
            for path in ["/once", "/twice"] {
                var call = try CurlExchangeCall(server, path)
                call.destination = .stream(buffer: buffer)
                let data = try await call.outcome(over: transport).get()
                #expect(data.count == 1 + 4000 * 258 && data.allSatisfy { $0 == 0 })
            }
        }
    }

    /// Responses one after another, and what comes of them.
    enum CodingScene {
        /// Where a body goes.
        enum Way: CaseIterable {
            case memory, file, stream

            var destination: ExchangeContext.BodyDestination {
                switch self {
                case .memory: .memory(limit: 1 << 20)
                case .file: .file(FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)"))
                case .stream: .stream(buffer: 64)
                }
            }
        }

        static func outcomes(
            of replies: [LoopbackReply], into way: Way = .memory, _ settings: TransportSettings = TransportSettings()
        ) async throws -> [Result<Data, ErrandError>] {
            var options = LoopbackOptions()
            options.recordLimit = 0
            let server = try LoopbackServer(options: options)
            defer { server.stop() }
            server.fallback { replies[Int($0.path.dropFirst()) ?? 0] }
            let transport = CurlTransport(settings: settings)
            defer { transport.shutdown() }
            var outcomes: [Result<Data, ErrandError>] = []
            for number in replies.indices {
                var call = try CurlExchangeCall(server, "/\(number)")
                call.destination = way.destination
                outcomes.append(await call.outcome(over: transport))
                if case .file(let file) = call.destination {
                    #expect(!FileManager.default.fileExists(atPath: file.path), "what failed leaves no file")
                }
            }
            return outcomes
        }
    }
#endif
