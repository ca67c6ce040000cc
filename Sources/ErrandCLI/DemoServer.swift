internal import Errand
internal import ErrandTesting
internal import Foundation

/// The server of the demo: a loopback server with the routes for the scenes.
struct DemoServer: Sendable {
    static let greeting = GetGreeting.Response(greeting: "hello")
    static let sun = Data("a round yellow picture".utf8)
    static let moon = Data("a thin white picture".utf8)
    static let note = "Bonjour, große Welt"
    static let account = Register.Account(name: "ann", password: "secret")
    static let userID = "42"
    static let user = GetUserInfo.Response(nick: "Ann", level: 7)

    let loopback: LoopbackServer
    /// Holds the parts that must never arrive.
    let heldParts = LoopbackGate()
    /// Holds the failing part until the others are in flight.
    let failingPart = LoopbackGate()

    init() throws(LoopbackError) {
        self.loopback = try LoopbackServer()
        self.addRoutes()
        self.addParts()
    }

    private func addRoutes() {
        self.loopback.route("GET", "/greeting", .json(#"{"greeting":"hello"}"#))
        self.loopback.route("GET", "/images/sun.png", .data(Self.sun, type: "image/png"))
        self.loopback.route("GET", "/images/moon.png", .data(Self.moon, type: "image/png"))
        self.loopback.route("GET", "/note", .text(Self.note))
        self.loopback.route("POST", "/register", handler: Self.register)
        self.loopback.route("GET", "/users") { request in
            guard request.queryValue("id") == Self.userID else { return .status(404) }
            return .json(#"{"nick":"Ann","level":7}"#)
        }
        self.loopback.route("GET", "/nothing", .stall)
    }

    private func addParts() {
        // The first matching route is used, so specific routes come before general ones.
        self.loopback.route("GET", "/held/2", .status(500).held(by: self.failingPart))
        self.loopback.route("GET", "/held/*", .status(200).held(by: self.heldParts))
        self.loopback.route("GET", "/mixed/1", .status(404))
        self.loopback.route("GET", "/mixed/2", .json(#"{"part":"two"}"#))
        self.loopback.route("GET", "/mixed/*", handler: Self.part)
        self.loopback.route("GET", "/stream/*", handler: Self.part)
    }

    private static let register: LoopbackRoute.Handler = { request in
        let account = try? JSONDecoder().decodeJSON(Register.Account.self, from: request.body)
        guard account?.name == Self.account.name, account?.password == Self.account.password else {
            return .status(400)
        }
        return .json(#"{"userID":"\#(Self.userID)"}"#, status: 201)
    }

    private static let part: LoopbackRoute.Handler = { request in
        let number = request.path.split(separator: "/").last ?? ""
        return .json(#"{"part":\#(number)}"#)
    }

    /// The number of recorded requests for a path.
    func count(of path: String) -> Int {
        self.loopback.received.count { $0.path == path }
    }
}
