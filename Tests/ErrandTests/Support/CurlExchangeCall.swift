internal import Errand
internal import ErrandTesting
internal import Foundation

#if os(Linux)
    /// One exchange with a loopback server, without a client.
    struct CurlExchangeCall: Sendable {
        let request: HTTPRequest
        var destination: ExchangeContext.BodyDestination

        init(_ request: HTTPRequest, into destination: ExchangeContext.BodyDestination) {
            self.request = request
            self.destination = destination
        }

        init(_ server: LoopbackServer, _ path: String, headers: HTTPFields = [:]) throws(ErrandError) {
            let url = try HTTPURL("http://127.0.0.1:\(server.port)\(path)")
            self.init(HTTPRequest(method: .get, url: url, headers: headers), into: .memory(limit: 1 << 20))
        }

        /// How it ends; a stream is read to its end, a file is removed.
        func outcome(over transport: some Transport) async -> Result<Data, ErrandError> {
            do throws(ErrandError) {
                let context = ExchangeContext(requestID: .next(), attempt: 1, destination: self.destination)
                let response = try await transport.exchange(self.request, context)
                switch response.body {
                case .bytes(let data): return .success(data)
                case .stream(let stream):
                    var data = Data()
                    for try await chunk in stream { data.append(chunk) }
                    return .success(data)
                case .file(let url):
                    defer { try? FileManager.default.removeItem(at: url) }
                    return .success((try? Data(contentsOf: url)) ?? Data())
                }
            } catch {
                return .failure(error)
            }
        }
    }
#endif
