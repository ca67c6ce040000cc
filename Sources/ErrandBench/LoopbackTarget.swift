internal import ErrandTesting
internal import Foundation

/// The target of a load, with its server if that was started for it.
struct LoopbackTarget {
    private enum Server {
        case nginx(NginxServer)
        case loopback(LoopbackServer)
    }

    let url: String
    private let server: Server?

    /// Starts a server, unless there is a URL.
    init(url: String?) async throws {
        if let url {
            (self.url, self.server) = (url, nil)
        } else if TestProgram.nginx != nil {
            let nginx = try await NginxServer()
            (self.url, self.server) = ("\(nginx.baseURL)small", .nginx(nginx))
        } else {
            let loopback = try LoopbackServer()
            let body = Data(count: 1024)
            loopback.route("GET", "/small") { _ in .data(body) }
            (self.url, self.server) = ("\(loopback.baseURL)small", .loopback(loopback))
        }
    }

    /// Stops the server.
    func stop() {
        switch self.server {
        case .nginx(let nginx): nginx.stop()
        case .loopback(let loopback): loopback.stop()
        case nil: break
        }
    }
}
