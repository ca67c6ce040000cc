/// x
public struct URLSessionTransport: Transport {
    public init() {}
    public func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse { throw ErrandError(.unsupported, "") }
}
