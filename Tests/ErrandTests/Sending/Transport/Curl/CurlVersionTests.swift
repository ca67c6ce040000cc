internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    @Suite("CurlTransport with an older libcurl", .serialized, .timeLimit(.minutes(60)), .paced)
    struct CurlVersionTests {
        /// The first version with all that is loaded, and the last before it tells of sending.
        private static let versions: [UInt32] = [0x07_42_00, 0x07_4F_01]

        /// All but the one about a POST on a connection that was kept: there is none then.
        private static let cases = TransportConformance.cases.filter { one in
            one.id != "close-race-post"
                && ["keep-alive", "connection-close", "close-race", "closed-while-idle", "version-1-0"]
                    .contains { one.id.hasPrefix($0) }
        }

        @Test(arguments: cases, versions)
        func `conforms`(_ one: TransportConformance.Case, version: UInt32) async throws {
            try await one.run { CurlTransport(version: version) }
        }

        /// Beginnings behind which a folded line is the first of all fields, as some versions of libcurl see it.
        private static let beginnings = [
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n",
            "HTTP/1.1 103 Early Hints\r\n x:y\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n",
            // Not the end of a head, to most.
            "HTTP/1.1 100 Continue\r\n\rx\nHTTP/1.1 200 OK\r\n",
            // Interim or final?
            "HTTP/2\t100 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n", "HTTP/2100 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n",
        ]

        /// Some versions of libcurl follow a pointer to what they have freed then, if a handle was used before.
        ///
        /// They refuse the line by themselves when it has no colon, so it has one.
        @Test(arguments: beginnings, [" ", "\t"])
        func `a folded line at the beginning of a later head breaks nothing`(
            _ beginning: String, _ space: String
        ) async throws {
            let server = try LoopbackServer()
            defer { server.stop() }
            let (padding, value) = (String(repeating: "x", count: 3000), String(repeating: "y", count: 5000))
            let good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Padding: \(padding)\r\n\r\ngood"
            server.route("GET", "/good", .raw(good))
            server.route("GET", "/folded", .raw("\(beginning)\(space)x:\(value)\r\nContent-Length: 2\r\n\r\nok"))
            let transport = CurlTransport()
            defer { transport.shutdown() }
            for _ in 0..<50 {
                #expect(try await CurlExchangeCall(server, "/good").outcome(over: transport).get() == Data("good".utf8))
                let outcome = try await CurlExchangeCall(server, "/folded").outcome(over: transport)
                let error = #expect(throws: ErrandError.self) { try outcome.get() }
                #expect(error?.code == .invalidResponse, "\(String(describing: error))")
            }
        }

        @Test(arguments: versions)
        func `a request that is not idempotent does not go onto a connection that was kept`(
            _ version: UInt32
        ) async throws {
            let server = try LoopbackServer(routes: [LoopbackRoute("*", "/*") { .text("\($0.connectionNumber)") }])
            defer { server.stop() }
            let transport = CurlTransport(version: version)
            defer { transport.shutdown() }
            var numbers: [String] = []
            for method in [HTTPMethod.get, .get, .post, .put, .patch, .get] {
                let url = try HTTPURL("http://127.0.0.1:\(server.port)/text")
                let response = try await transport.exchange(
                    HTTPRequest(method: method, url: url, body: method == .get ? .none : .bytes(Data("x".utf8))),
                    ExchangeContext(requestID: .next(), attempt: 1, destination: .memory(limit: 100)))
                numbers.append(String(decoding: response.data, as: UTF8.self))
            }
            #expect(numbers[0] == "1" && numbers[1] == "1")
            #expect(numbers[2] == "2", "a POST")
            #expect(["1", "2"].contains(numbers[3]), "a PUT, which is idempotent")
            #expect(numbers[4] == "3", "a PATCH")
            #expect(["1", "2", "3"].contains(numbers[5]))
        }
    }
#endif
