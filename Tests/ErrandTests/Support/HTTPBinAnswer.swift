#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation

    /// What httpbin tells about a request, where it tells it.
    struct HTTPBinAnswer: Decodable, Sendable {
        /// The values of one name: httpbin writes a list where there are several.
        struct Values: Decodable, Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
            let all: [String]

            init(stringLiteral value: String) { self.all = [value] }
            init(arrayLiteral elements: String...) { self.all = elements }

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let value = try? container.decode(String.self) {
                    self.all = [value]
                } else {
                    self.all = try container.decode([String].self)
                }
            }
        }

        let url: String?
        let method: String?
        let args: [String: Values]?
        let headers: [String: String]?
        let data: String?
        let form: [String: Values]?
        let files: [String: Values]?
        let cookies: [String: String]?
        let authenticated: Bool?
        let user: String?
        let token: String?
        let gzipped: Bool?
        let deflated: Bool?
        let brotli: Bool?
        let id: Int?
    }

    /// A call that httpbin answers with what it knows of it.
    struct HTTPBinCall: Endpoint {
        typealias Response = HTTPBinAnswer

        let path: EndpointPath
        var method = HTTPMethod.get
        var parameters: Parameters = [:]
        var headers: HTTPFields = [:]
        var body = RequestBody.none
        var options = RequestOptions()

        init(_ path: String, _ configure: (inout HTTPBinCall) -> Void = { _ in }) {
            self.path = EndpointPath(uncheckedReference: path)
            configure(&self)
        }
    }

    /// An httpbin and clients for it.
    struct HTTPBinScene: Sendable {
        let server: PythonServer
        let baseURL: String

        init() async throws {
            self.server = try await PythonScripts.httpbin()
            self.baseURL = self.server.baseURL
        }

        /// Runs something with a client, and shuts that down.
        func withClient<Value>(
            _ configure: (inout Client.Configuration) -> Void = { _ in }, _ body: (Client) async throws -> Value
        ) async throws -> Value {
            let client = Client(baseURL: self.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
                configure(&$0)
            }
            do {
                let value = try await body(client)
                await client.shutdown()
                return value
            } catch {
                await client.shutdown()
                throw error
            }
        }

        /// Sends a call with a client of its own.
        func response<E: Endpoint>(
            for call: E, _ configure: (inout Client.Configuration) -> Void = { _ in }
        ) async throws -> TypedResponse<E.Response> {
            try await self.withClient(configure) { try await $0.response(for: call) }
        }

        /// Sends a call that is answered with what httpbin knows of it.
        func answer(
            _ path: String, _ configure: (inout HTTPBinCall) -> Void = { _ in }
        ) async throws -> HTTPBinAnswer {
            try await self.response(for: HTTPBinCall(path, configure)).value
        }

        /// The error that a call ends with.
        func error(
            _ call: some Endpoint, _ configure: (inout Client.Configuration) -> Void = { _ in }
        ) async throws -> ErrandError? {
            do {
                _ = try await self.response(for: call, configure)
                return nil
            } catch let error as ErrandError {
                return error
            }
        }
    }
#endif
