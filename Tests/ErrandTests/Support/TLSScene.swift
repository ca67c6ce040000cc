#if os(Linux)
    internal import Errand
    internal import ErrandTesting
    internal import Foundation
    internal import Testing

    /// Certificates, servers that show them, and what becomes of exchanges with those.
    struct TLSScene {
        /// Whether there is all that it takes.
        static let isPossible =
            TestProgram.areWanted && CurlTransport.isAvailable && TestProgram.nginx != nil && TestProgram.openssl != nil
        static let comment: Comment = "ERRAND_PROGRAMS is not 1, or libcurl, nginx or openssl is not installed"

        let certificates: TestCertificates

        init() async throws {
            self.certificates = try await TestCertificates()
        }

        /// Trusts the authority that signed all certificates but one, and no other.
        var authority: TLSPolicy.Trust {
            .authorities([.file(self.certificates.authority.certificate)])
        }

        func server(
            _ identity: TestCertificates.Identity, _ change: (inout NginxServer.Options) -> Void = { _ in }
        ) async throws -> NginxServer {
            var options = NginxServer.Options()
            options.identity = identity
            change(&options)
            return try await NginxServer(options)
        }

        /// Sends a request for `/about` under some rules, with a transport of its own.
        func send(
            to baseURL: String, _ rules: TLSPolicy.Rules, observer: (@Sendable (ExchangeEvent) -> Void)? = nil
        ) async throws -> Result<HTTPResponse, ErrandError> {
            var settings = TransportSettings()
            settings.tls.standard = rules
            return try await Self.send(to: baseURL, CurlTransport(settings: settings), observer: observer)
        }

        static func send(
            to baseURL: String, _ transport: some Transport, observer: (@Sendable (ExchangeEvent) -> Void)? = nil
        ) async throws -> Result<HTTPResponse, ErrandError> {
            let request = HTTPRequest(url: try HTTPURL(baseURL + "about"))
            let context = ExchangeContext(
                requestID: .next(), attempt: 1, destination: .memory(limit: 1 << 20), observer: observer)
            do throws(ErrandError) {
                return .success(try await transport.exchange(request, context))
            } catch {
                return .failure(error)
            }
        }
    }

    extension Result where Success == HTTPResponse, Failure == ErrandError {
        /// What nginx knows about the exchange.
        var about: NginxServer.About? {
            (try? self.get()).map { NginxServer.About($0.data) }
        }

        /// The status of the response.
        var status: HTTPStatus? { (try? self.get())?.status }
    }
#endif
