internal import Errand
internal import Foundation

extension TransportConformance {
    /// The head of a request as it arrives.
    static let requestHeadCases: [Case] =
        [
            "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE", "QUERY", "REPORT",
        ].map { method in
            Case("method-\(method.lowercased())", "The method \(method) arrives") { scene throws(ConformanceFailure) in
                let exchange = ConformanceExchange(method: HTTPMethod(rawValue: method))
                let request = try await scene.request(made: exchange)
                try scene.require("the method", request.method, is: method)
                try scene.require("the body", request.body, is: Data())
            }
        } + [
            Case("target", "The target arrives unchanged, including percent signs", target),
            Case("target-fragment", "A fragment is not sent", targetWithoutFragment),
            Case("credentials-in-the-url", "Credentials in the URL are not sent", credentials),
            Case("host", "There is one Host field, with the port", host),
            Case("fields-sent", "Fields arrive as they are", fieldsSent),
            Case("field-empty-sent", "A field without a value arrives", emptyField),
            Case("fields-repeated-sent", "Repeated fields all arrive, joined or not", repeatedFields),
            Case(
                "fields-sent-in-order", "Fields arrive in their order, repeated ones apart", needs: .keepsFieldLines,
                fieldsInOrder),
            Case("no-cookies", "Cookies of a response are not sent with the next request", noCookies),
            Case("no-cache", "A response is not served from a cache", noCache),
        ]

    // MARK: - The target

    private static func target(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let path = "/case/a%2Fb;c=1//d/%7e?x=1&y=%41+%20&z=a/b?c"
        let request = try await scene.request(made: ConformanceExchange(path: path))
        try scene.require("the target", request.target, is: path)
    }

    private static func targetWithoutFragment(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let request = try await scene.request(made: ConformanceExchange(path: "/case?a=1#part"))
        try scene.require("the target", request.target, is: "/case?a=1")
    }

    private static func credentials(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let origin = "http://user:secret@127.0.0.1:\(scene.server.port)"
        let request = try await scene.request(made: ConformanceExchange(origin: origin))
        try scene.require("Authorization", request.headers.values(of: "Authorization"), is: [])
    }

    // MARK: - Fields

    private static func host(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let request = try await scene.request(made: ConformanceExchange())
        try scene.require("Host", request.headers.values(of: "Host"), is: ["127.0.0.1:\(scene.server.port)"])
    }

    private static func fieldsSent(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let fields: KeyValuePairs = [
            "User-Agent": "conformance/1 (a; b)", "Accept": "*/*", "Accept-Language": "de, en;q=0.5",
            "X-A": "a: b,c; \"d\"",
            "Authorization": "Bearer a.b-c", "Cookie": "a=1; b=2", "Content-Type": "text/plain; charset=utf-8",
        ]
        let headers = HTTPFields(fields.map { HTTPField(name: $0.key, value: $0.value) })
        let exchange = ConformanceExchange(method: .post, headers: headers, body: .bytes(Data("hello".utf8)))
        let request = try await scene.request(made: exchange)
        for (name, value) in fields { try scene.require(name, request.headers.values(of: name), is: [value]) }
    }

    private static func emptyField(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let request = try await scene.request(made: ConformanceExchange(headers: ["X-Empty": "", "X-A": "1"]))
        try scene.require("X-Empty", request.headers.values(of: "X-Empty"), is: [""])
        try scene.require("X-A", request.headers.values(of: "X-A"), is: ["1"])
    }

    private static func repeatedFields(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let request = try await scene.request(made: ConformanceExchange(headers: ["X-A": "1", "X-B": "2", "x-a": "3"]))
        try scene.require("X-A", request.headers.values(of: "X-A").joined(separator: ", "), is: "1, 3")
    }

    private static func fieldsInOrder(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        let headers: HTTPFields = ["Zebra": "1", "X-A": "2", "Apple": "3", "x-a": "4"]
        let request = try await scene.request(made: ConformanceExchange(headers: headers))
        let fields = request.headers.filter { headers.contains($0.name) }
        try scene.require(
            "the fields", fields.map { "\($0.name): \($0.value)" }, is: ["Zebra: 1", "X-A: 2", "Apple: 3", "x-a: 4"])
    }

    // MARK: - No state

    private static func noCookies(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer(.text("hello", headers: ["Set-Cookie": "a=1; Path=/"]))
        for _ in 1...2 { try await scene.expect(.response(), of: ConformanceExchange()) }
        let cookies = scene.server.received.flatMap { $0.headers.values(of: "Cookie") }
        try scene.require("Cookie", cookies, is: [])
    }

    private static func noCache(_ scene: ConformanceScene) async throws(ConformanceFailure) {
        scene.answer(.text("hello", headers: ["Cache-Control": "max-age=3600", "ETag": "\"a\""]))
        for _ in 1...2 { try await scene.expect(.response(), of: ConformanceExchange()) }
        try scene.require("the number of requests", scene.server.receivedCount, is: 2)
        let conditions = scene.server.received.flatMap { $0.headers.values(of: "If-None-Match") }
        try scene.require("If-None-Match", conditions, is: [])
    }
}

extension ConformanceScene {
    /// Performs an exchange that must succeed, with no reply of the case's own, and returns the one request that
    /// arrived.
    func request(made exchange: ConformanceExchange) async throws(ConformanceFailure) -> LoopbackRequest {
        self.answer(.text(exchange.method == .head ? "" : "hello"))
        try await self.expect(.response(body: exchange.method == .head ? "" : "hello"), of: exchange)
        let received = self.server.received
        try self.require("the number of requests", received.count, is: 1)
        return received[0]
    }
}
