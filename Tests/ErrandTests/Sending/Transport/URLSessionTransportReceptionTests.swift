internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The machine and the conversions by themselves.
@Suite(.timeLimit(.minutes(60)), .paced)
struct URLSessionTransportReceptionTests {
    private func head(_ status: Int = 200, _ fields: HTTPFields = [:]) -> HTTPResponse.Head {
        HTTPResponse.Head(status: HTTPStatus(rawValue: status), headers: fields)
    }

    private func fail(_ comment: Comment) {
        Issue.record(comment)
    }

    @Test func `does nothing after its end`() {
        var reception = URLSessionReception(method: .get, limit: 10)
        reception.drop()
        #expect(reception.isEnded)
        guard case .stop = reception.received(self.head()) else { return self.fail("a head was taken") }
        guard case .stop = reception.received(Data([1])) else { return self.fail("data was taken") }
        reception.challenged()
        guard case .ignore = reception.completed(self.head(), nil) else { return self.fail("it ended twice") }
    }

    @Test func `takes the first final head`() {
        var reception = URLSessionReception(method: .get, limit: 10)
        guard case .ignore = reception.received(self.head(103)) else { return self.fail("103 is interim") }
        guard case .report = reception.received(self.head(200)) else { return self.fail("200 is final") }
        guard case .ignore = reception.received(self.head(500)) else { return self.fail("one is enough") }
        guard case .succeed(let response, isHeadNew: false) = reception.completed(nil, nil) else {
            return self.fail("it did not succeed")
        }
        #expect(response.status == .ok)
    }

    @Test func `does not trust a length`() {
        var reception = URLSessionReception(method: .get, limit: .max)
        let fields: HTTPFields = ["Content-Length": "9223372036854775807"]
        guard case .report = reception.received(self.head(200, fields)) else { return self.fail("no head") }
        guard case .report(let progress) = reception.received(Data([1])) else { return self.fail("no data") }
        #expect(progress == TransferProgress(bytes: 1, total: .max))
    }

    @Test func `counts what it does not keep, without a limit`() {
        var reception = URLSessionReception(method: .get, limit: nil)
        let fields: HTTPFields = ["Content-Length": "9223372036854775807"]
        guard case .report = reception.received(self.head(200, fields)) else { return self.fail("no head") }
        for count in 1...3 {
            guard case .report(let progress) = reception.received(Data(count: 10)) else { return self.fail("no data") }
            #expect(progress == TransferProgress(bytes: Int64(10 * count), total: .max))
        }
        guard case .succeed(let response, isHeadNew: false) = reception.completed(nil, nil) else {
            return self.fail("it did not succeed")
        }
        #expect(response.data.isEmpty)
    }

    @Test func `needs a response`() {
        var reception = URLSessionReception(method: .get, limit: 10)
        guard case .fail(let error) = reception.completed(nil, nil) else { return self.fail("it succeeded") }
        #expect(error.code == .invalidResponse)
    }

    @Test(arguments: [
        ("a=1", ["a=1"]),
        ("a=1, b=2", ["a=1", "b=2"]),
        ("a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT, b=2", ["a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "b=2"]),
        ("a=x,y, b=2", ["a=x,y", "b=2"]),
        ("", [""]),
        (",", [","]),
        ("é=1, a", ["é=1, a"]),
    ])
    func `splits cookies`(joined: String, cookies: [String]) {
        #expect(HTTPField.splitCookies(joined).map { $0.trimmingCharacters(in: .whitespaces) } == cookies)
    }

    @Test(arguments: [
        (URLError.Code.timedOut, ErrandError.Code.timedOut),
        (.cannotFindHost, .hostNotFound),
        (.dnsLookupFailed, .hostNotFound),
        (.cannotConnectToHost, .cannotConnect),
        (.networkConnectionLost, .connectionLost),
        (.serverCertificateUntrusted, .tlsFailed),
        (.secureConnectionFailed, .tlsFailed),
        (.cannotParseResponse, .invalidResponse),
        (.cancelled, .cancelled),
        (.unknown, .transportFailed),
    ])
    func `maps codes`(code: URLError.Code, expected: ErrandError.Code) {
        let error = ErrandError(urlSession: URLError(code))
        #expect(error.code == expected)
        #expect((error.cause as? URLError)?.code == code)
    }

    #if canImport(FoundationNetworking)
        @Test(arguments: [
            ("Could not resolve host: a.invalid", ErrandError.Code.hostNotFound),
            ("Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server", .cannotConnect),
            ("SSL certificate problem: unable to get local issuer certificate", .tlsFailed),
            ("OpenSSL SSL_read: Connection reset by peer, errno 104", .connectionLost),
            ("OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", .tlsFailed),
            ("SSL: no alternative certificate subject name matches target host name 'a'", .tlsFailed),
            ("Received HTTP/0.9 when not allowed", .invalidResponse),
            ("Failed writing header", .invalidResponse),
            ("transfer closed with 7 bytes remaining to read", .connectionLost),
            ("Operation timed out after 1000 milliseconds with 0 bytes received", .timedOut),
            ("Something else", .transportFailed),
        ])
        func `reads what libcurl says`(text: String, expected: ErrandError.Code) {
            let error = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: text])
            #expect(ErrandError(urlSession: error).code == expected)
            #expect(ErrandError(urlSession: error).message.hasSuffix(text))
        }
    #endif
}
