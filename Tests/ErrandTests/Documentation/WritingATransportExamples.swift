internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples of the article "Writing a transport".
    @Suite(.serialized, .timeLimit(.minutes(60)), .paced)
    struct WritingATransportExamples {
        struct CannedTransport: Transport {
            let answers: [String: Data]

            func exchange(
                _ request: HTTPRequest, _ context: ExchangeContext
            ) async throws(ErrandError) -> HTTPResponse {
                guard case .memory(let limit) = context.destination else {
                    throw ErrandError(.unsupported, "canned answers go into memory")
                }
                guard !Task.isCancelled else { throw ErrandError(.cancelled, "the exchange was cancelled") }
                let body = self.answers[request.url.path]
                let response = HTTPResponse(status: body == nil ? .notFound : .ok, body: body ?? Data())
                guard response.data.count <= limit else {
                    throw ErrandError(.bodyTooLarge, "the answer has more than \(limit) bytes")
                }
                context.report(.connected)
                context.report(.responseHead(response.head))
                return response
            }
        }

        struct Detour: Transport {
            let base: any Transport
            let hosts: [String: String]

            func exchange(
                _ request: HTTPRequest, _ context: ExchangeContext
            ) async throws(ErrandError) -> HTTPResponse {
                guard let host = self.hosts[request.url.host] else {
                    return try await self.base.exchange(request, context)
                }
                var request = request
                request.url = try HTTPURL("\(request.url.scheme)://\(host)\(request.url.requestTarget)")
                return try await self.base.exchange(request, context)
            }

            var cachePartition: String { "Detour \(self.hosts.sorted { $0.key < $1.key }) \(self.base.cachePartition)" }

            func shutdown() {
                self.base.shutdown()
            }
        }

        @Test func `canned answers`() async throws {
            let canned = CannedTransport(answers: ["/v1/images/sun": Data("sun".utf8)])
            let client = Client(baseURL: "https://api.example.com/v1/") { $0.transport = canned }

            #expect(try await client.send(GetImage(name: "sun")) == Data("sun".utf8))
            let error = await #expect(throws: ErrandError.self) { try await client.send(GetImage(name: "moon")) }
            #expect(error?.context.status == .notFound)
        }

        @Test func `a detour`() async throws {
            let transport = Documented.makeTransport()
            let client = Documented.makeClient(
                Detour(base: transport, hosts: ["api.example.com": "staging.example.com:8443"]))

            _ = try await client.send(GetUser(userID: "1"))

            #expect(transport.received.first?.url.string == "https://staging.example.com:8443/v1/users?id=1")
        }

        #if os(Linux)
            @Test(arguments: TransportConformance.cases(for: .all))
            func conforms(_ one: TransportConformance.Case) async throws {
                try await one.run { Detour(base: CurlTransport(), hosts: [:]) }
            }
        #endif
    }
}
