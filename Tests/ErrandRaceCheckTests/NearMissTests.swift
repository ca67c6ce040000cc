internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import ErrandRaceCheck

@Suite("Race check: members that are nearly requirements", .timeLimit(.minutes(60)), .paced)
struct NearMissTests {
    /// What is found in a target whose files import Errand, each with its declaration.
    private func misses(_ sources: String..., in targets: [String] = []) -> [String] {
        var index = TypeIndex()
        for (number, source) in sources.enumerated() {
            let scanner = SourceScanner(Array(("import Errand\n" + source).utf8), file: "\(number).swift")
            let target = targets.indices.contains(number) ? targets[number] : "App"
            index.add(TypeReader.types(in: scanner), to: target)
        }
        return NearMisses(in: index).findings().map { "\($0.declaration): \($0.message)" }
    }

    /// What is found in an endpoint with these members.
    private func misses(ofEndpointWith members: String) -> [String] {
        self.misses("struct A: Endpoint {\n    var path: EndpointPath { \"a\" }\n    \(members)\n}")
    }

    // MARK: - Wrong endpoints

    /// Endpoints that compile, and send something else than they say.
    ///
    /// `WrongEndpointTests` has those that do not compile.
    private static let wrongEndpoints: [(members: String, message: String)] = [
        (
            "var retries: RetryPolicy { .standard }",
            "`retries` is not a requirement of Endpoint: set it in `options`: `.retries(…)`"
        ),
        (
            "var timeouts: Timeouts { Timeouts(total: .seconds(3)) }",
            "`timeouts` is not a requirement of Endpoint: set it in `options`: `.timeout(…)`"
        ),
        (
            "var redirects: RedirectPolicy { .none }",
            "`redirects` is not a requirement of Endpoint: set it in `options`: `.redirects(…)`"
        ),
        (
            "var isCoalesced: Bool { true }",
            "`isCoalesced` is not a requirement of Endpoint: set it in `options`: `.coalescing(…)`"
        ),
        (
            "let cachePolicy = CachePolicy.fresh(for: .seconds(60))",
            "`cachePolicy` is not a requirement of Endpoint: set it in `options`: `.caching(…)`"
        ),
        (
            "var method: String { \"POST\" }",
            "`method: String` is ignored by Endpoint: write `var method: HTTPMethod`"
        ),
        (
            "var parameters: [String: String] { [\"a\": \"b\"] }",
            "`parameters: [String: String]` is ignored by Endpoint: write `var parameters: Parameters`"
        ),
        (
            "let headers = [\"Accept\": \"text/plain\"]",
            "`headers` of this value is ignored by Endpoint: write `var headers: HTTPFields`"
        ),
        (
            "var options: RequestOptions? { .retries(.standard) }",
            "`options: RequestOptions?` is ignored by Endpoint: write `var options: RequestOptions`"
        ),
        (
            "var decoder: JSONDecoder { .init() }",
            "`decoder: JSONDecoder` is ignored by Endpoint: "
                + "write `var decoder: ResponseDecoder<Response>`"
        ),
        ("static let method = HTTPMethod.post", "a static `method` is ignored by Endpoint: remove `static`"),
        ("var paramters: Parameters { [:] }", "`paramters` is not a requirement of Endpoint: write `parameters`"),
        ("var header: HTTPFields { [:] }", "`header` is not a requirement of Endpoint: write `headers`"),
        ("let option: RequestOptions = .priority(.high)", "`option` is not a requirement of Endpoint: write `options`"),
        ("var baseUrl: BaseURL { \"https://a.b\" }", "`baseUrl` is not a requirement of Endpoint: write `baseURL`"),
        (
            "var httpMethod: HTTPMethod { .post }",
            "`httpMethod` is not a requirement of Endpoint: write `var method: HTTPMethod`"
        ),
        ("struct Responce: Decodable {}", "`Responce` is not a requirement of Endpoint: write `Response`"),
        (
            "func decode(_ data: Data) throws -> Int { 1 }",
            "this `decode` is ignored by Endpoint: write `func decode(_ response: HTTPResponse) throws -> Response`"
        ),
        (
            "func customRequest() -> HTTPRequest { request() }",
            "this `customRequest` is ignored by Endpoint: write `func customRequest() throws -> HTTPRequest?`"
        ),
        (
            "func prepare(_ request: inout HTTPRequest) {}",
            "`prepare` is never called of a plain Endpoint: conform to `ProcessingEndpoint`"
        ),
    ]

    @Test(arguments: Self.wrongEndpoints)
    func `an endpoint with a member that is ignored is told what to write`(members: String, message: String) {
        let found = self.misses(ofEndpointWith: members)
        #expect(found.count == 1)
        #expect(found.first?.hasSuffix(": \(message)") == true, "\(found)")
    }

    @Test(arguments: [
        "var timeout: Duration { .seconds(3) }", "let caching: CachePolicy", "var priority = RequestPriority.high",
        "var credential: HTTPCredential? { nil }", "var interceptors: [any Interceptor] { [] }",
        "var tag: String { \"a\" }", "var hedging: HedgePolicy { .never }", "let retries: Errand.RetryPolicy?",
        "var timeoutInterval: Double = 3", "var queryItems: [URLQueryItem] { [] }", "let method: String",
        "var headers: HTTPFields {\n        get throws { [:] }\n    }", "let decoder = JSONDecoder()",
        "var body: Data { Data() }", "var validatoin: ResponseValidation { .success }", "let method = \"POST\"",
        "let id: Int, headers: [String: String]", "var `options`: Int { 1 }", "var bdoy: RequestBody { .none }",
        "func decode(_ response: HTTPResponse) async throws -> Int { 1 }", "public  var method : String { \"PUT\" }",
        "typealias Respons = Int", "@MainActor private(set) var method: String = \"A\"",
        "func customReqest() throws -> HTTPRequest? { nil }", "var parameters: [String: Int] = [\"a\": 1]",
        "var retries: RetryPolicy {\n        var retries = RetryPolicy.standard\n        return retries\n    }",
    ])
    func `a member that cannot be data and is no requirement is found, once`(member: String) {
        #expect(self.misses(ofEndpointWith: member).count == 1)
    }

    // MARK: - Right endpoints

    @Test(arguments: [
        // What is asked for, as it is asked for.
        "var method: HTTPMethod { .post }\n var headers: HTTPFields = [:]\n let body: RequestBody",
        "var parameters: Parameters {\n get throws { try [\"a\": b()] }\n }",
        "let method = HTTPMethod.post\n var options: Errand.RequestOptions { .retries(.standard) }",
        "let method: Errand.HTTPMethod\n var decoder: ResponseDecoder<Response> { .json }",
        "var decoder: (ResponseDecoder<Response>) { .json }\n var baseURL: BaseURL { \"https://a.b\" }",
        "func decode(_ response: HTTPResponse) throws -> Response { 1 }\n func decode(_ data: Data) -> Int { 1 }",
        "func customRequest() throws -> HTTPRequest? { nil }\n func customRequest(_ name: String) -> Int { 1 }",
        "struct Response: Decodable, Sendable { let tag: String, headers: [String: String], method: String }",
        "typealias Response = User", "enum Method { case body, options }",
        // Data of the call.
        "let id: Int\n let tag: String\n let priority: Int\n let header: Header\n let cache: Cache",
        "let body: String\n var parameters: Parameters { [\"body\": .string(body)] }",
        "let body: String\n var parameters: Parameters { [\"body\": .string(self.body)] }",
        "let method: PaymentMethod\n init(method: PaymentMethod) { self.method = method }\n"
            + " var parameters: Parameters { [\"method\": \"\\(method)\"] }",
        "let retries: RetryPolicy\n var options: RequestOptions { .retries(retries) }",
        "var timeout: Duration { .seconds(3) }\n var options: RequestOptions { .timeout(total: self.timeout) }",
        "let options: Search\n var body: RequestBody { .json(self) }",
        "static let tag = \"users\"", "static let headers = [\"a\": \"b\"]", "static func retries() -> Int { 1 }",
        // Names of their own.
        "var encoder: JSONEncoder { .init() }", "var patch: Patch { .init() }", "var busy: Bool { true }",
        "var readers: [Reader] { [] }", "var modes: [Int] { [] }", "var title: String { \"a\" }",
        "func prepare() {}", "func header(_ name: String) -> String { name }", "func decoded() -> Int { 1 }",
        "func decode<T>(_ data: Data) -> T { fatalError() }", "func retry(_ count: Int) {}",
        // What is not known.
        "var body: Body { .init() }\n typealias Body = RequestBody", "var method = methodOfAll",
        "var headers = Defaults.headers", "let options = makeOptions()",
        // What only looks like it.
        "// var method: String { \"POST\" }", "let text = \"var method: String { 1 }\"",
        "var path2: String { var method: String = \"a\"; return method }",
    ])
    func `an endpoint that says what it means is left alone`(members: String) {
        #expect(self.misses(ofEndpointWith: members) == [])
    }

    // MARK: - Which types

    private static let retries = "var retries: RetryPolicy { .standard }"

    @Test(arguments: [
        (["struct A: Endpoint { \(Self.retries) }"], "A.retries"),
        (["struct A: Errand.Endpoint { \(Self.retries) }"], "A.retries"),
        (["struct A: Sendable, ProcessingEndpoint { \(Self.retries) }"], "A.retries"),
        (["enum API: Hashable & Endpoint { case a\n \(Self.retries) }"], "API.retries"),
        (["struct A<T: Sendable>: Endpoint where T: P { \(Self.retries) }"], "A.retries"),
        (["enum API { struct A: Endpoint { \(Self.retries) } }"], "API.A.retries"),
        (["enum API {}", "extension API { struct A: Endpoint { \(Self.retries) } }"], "API.A.retries"),
        (["struct A { \(Self.retries) }\nextension A: Endpoint {}"], "A.retries"),
        (["struct A {}", "extension A: Endpoint {}", "extension A { \(Self.retries) }"], "A.retries"),
        (["enum API { struct A {} }", "extension API.A: Endpoint { \(Self.retries) }"], "API.A.retries"),
        (["protocol AppEndpoint: Endpoint {}", "struct A: AppEndpoint { \(Self.retries) }"], "A.retries"),
        (["protocol AppEndpoint: Endpoint {}", "extension AppEndpoint { \(Self.retries) }"], "AppEndpoint.retries"),
        (["extension Endpoint { \(Self.retries) }"], "Endpoint.retries"),
        (["class Base: Endpoint {}", "final class A: Base { \(Self.retries) }"], "A.retries"),
    ])
    func `a type that conforms is seen wherever it says so`(sources: [String], declaration: String) {
        var index = TypeIndex()
        for source in sources {
            let scanner = SourceScanner(Array("import Errand\n\(source)".utf8), file: "A.swift")
            index.add(TypeReader.types(in: scanner), to: "App")
        }
        #expect(NearMisses(in: index).findings().map(\.declaration) == [declaration])
    }

    @Test func `a type that conforms to a protocol of another target is seen`() {
        let sources = ["public protocol AppEndpoint: Endpoint {}", "struct A: AppEndpoint { \(Self.retries) }"]
        #expect(self.misses(sources[0], sources[1], in: ["Core", "App"]).count == 1)
    }

    @Test(arguments: [
        ["struct A { \(Self.retries) }"],
        ["protocol Endpoint {}", "struct A: Endpoint { \(Self.retries) }"],
        ["struct A: Other.Endpoint { \(Self.retries) }"],
        ["protocol Retrying { var retries: RetryPolicy { get } }", "struct A: Endpoint, Retrying { \(Self.retries) }"],
        ["protocol AppEndpoint: Endpoint { var tag: String { get } }", "struct A: AppEndpoint { let tag = \"a\" }"],
        ["struct A: Endpoint, Tagged { var tag: String { \"a\" } }"],
        ["struct A: Endpoint { let tag = \"a\" }", "extension A { var options: RequestOptions { .tag(tag) } }"],
        ["extension Endpoint { var tag: String { \"a\" } }", "struct A: Endpoint { var x: String { tag } }"],
        ["struct A: Endpoint { struct B { \(Self.retries) } }"],
        ["struct A: Endpoint { func f() { struct B { \(Self.retries) } } }"],
    ])
    func `a type that does not conform, or asks for the name itself, is left alone`(sources: [String]) {
        var index = TypeIndex()
        for source in sources {
            let scanner = SourceScanner(Array("import Errand\n\(source)".utf8), file: "A.swift")
            index.add(TypeReader.types(in: scanner), to: "App")
        }
        #expect(NearMisses(in: index).findings() == [])
    }

    @Test func `a target that does not import Errand has no endpoints of its`() {
        var index = TypeIndex()
        let scanner = SourceScanner(Array("struct A: Endpoint { \(Self.retries) }".utf8), file: "A.swift")
        index.add(TypeReader.types(in: scanner), to: "App")
        #expect(NearMisses(in: index).findings() == [])
    }

    // MARK: - Hooks

    @Test(arguments: [
        ("Accessory", "func didstart(_ activity: RequestActivity) {}", "didStart"),
        ("Accessory", "func didStart(_ activity: RequestActivity) async {}", "AsyncAccessory"),
        ("AsyncAccessory", "func didstart(_ activity: RequestActivity) async {}", "didStart"),
        ("AsyncAccessory", "func observe(_ event: RequestActivity.Event, of a: RequestActivity) async {}", "observe"),
        ("Accessory", "func didStart(_ request: URLRequest) {}", "didStart"),
        ("Accessory", "func didStop(_ activity: RequestActivity) async {}", "didStop"),
        ("Accessory", "func didStop(_ activity: RequestActivity, end: RequestActivity.End) {}", "didStop"),
        ("Accessory", "func observe(_ event: RequestActivity.Event, _ activity: RequestActivity) {}", "observe"),
        ("Accessory", "func observe(_ event: RequestActivity.Event, of activity: RequestActivity) async {}", "observe"),
        ("Accessory", "static func willStart(_ activity: RequestActivity) {}", "willStart"),
        ("ProcessingEndpoint", "func prepare(_ request: HTTPRequest) async throws {}", "prepare"),
        ("ProcessingEndpoint", "func didRecieve(_ response: inout HTTPResponse) async throws {}", "didReceive"),
        ("ProcessingEndpoint", "func didFail(_ error: any Error) async {}", "didFail"),
        ("ProcessingEndpoint", "func didFinish(_ value: Response) async {}", "didFinish"),
        ("Interceptor", "var cachePartion: String { \"a\" }", "cachePartition"),
        ("Interceptor", "var cachePartition: Int { 1 }", "cachePartition"),
    ])
    func `a hook with nearly the right name or signature is found`(_ type: String, _ member: String, _ meant: String) {
        let found = self.misses("actor A: \(type) { \(member) }")
        #expect(found.count == 1)
        #expect(found.first?.contains("\(meant)") == true, "\(found)")
    }

    @Test(arguments: [
        ("AsyncAccessory", "func didStart(_ activity: RequestActivity) async {}"),
        ("AsyncAccessory", "func didStart(_ activity: RequestActivity) {}"),
        ("Accessory", "func didStart(_ activity: Errand.RequestActivity) {}"),
        ("Accessory", "func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {}"),
        ("Accessory", "func didStop(_: RequestActivity, _ end: RequestActivity.End) {}"),
        ("Accessory", "func didStop(_ a: RequestActivity, _ e: RequestActivity.End) {}\n func didStop() {}"),
        ("Accessory", "func start(_ activity: RequestActivity) {}"), ("Accessory", Self.retries),
        ("ProcessingEndpoint", "func didFinish(_ response: TypedResponse<User>) async {}"),
        ("ProcessingEndpoint", "func didFinish(_ response: TypedResponse<Self.Response>) {}"),
        ("ProcessingEndpoint", "func prepare(_ request: inout HTTPRequest) throws { sign(&request) }"),
        ("Interceptor", "let cachePartition: String"), ("Interceptor", "let cachePartition = \"a\""),
    ])
    func `a hook as it is asked for is left alone`(_ type: String, _ member: String) {
        #expect(self.misses("struct A: \(type) { \(member) }") == [])
    }

    // MARK: - Names

    @Test(arguments: [
        ("paramters", "parameters"), ("parameter", "parameters"), ("header", "headers"), ("haeders", "headers"),
        ("baseUrl", "baseURL"), ("BaseURL", "baseURL"), ("bod", "body"), ("boyd", "body"), ("boddy", "body"),
        ("validaton", "validation"), ("customReqest", "customRequest"), ("Responce", "Response"),
    ])
    func `a name is near when it is a letter or two off`(_ name: String, _ other: String) {
        #expect(Spelling.isNear(name, other))
    }

    @Test(arguments: [
        ("headers", "headers"), ("readers", "headers"), ("encoder", "decoder"), ("baby", "body"), ("busy", "body"),
        ("mode", "method"), ("hosts", "headers"), ("", "body"), ("b", "body"), ("param", "parameters"),
    ])
    func `a name is not near that is the same, or a word of its own`(_ name: String, _ other: String) {
        #expect(!Spelling.isNear(name, other))
    }

    // MARK: - As the library has it

    @Test func `what the rule says to write is there to be written`() throws {
        let root = (0..<3).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let folder = root.appending(path: "Sources/Errand/Declaring").path
        let source = try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8) }.joined()
        for modifier in ForeignNames.ofOptions.map(\.modifier) {
            #expect(source.contains("public static func \(modifier)("), "\(modifier)")
        }
        for one in ErrandProtocol.allCases {
            #expect(source.contains("public protocol \(one.rawValue):"), "\(one)")
            for property in one.properties {
                #expect(source.contains("    var \(property.name): \(property.type) { get"), "\(property.name)")
            }
            for function in one.functions {
                // What it throws may be said more precisely there.
                let head = function.declaration.prefix { $0 != ")" }
                #expect(source.contains("    \(head))"), "\(head)")
            }
        }
    }

    // MARK: - In the program

    @Test func `the program tells a near miss, and lets one be that has a reason`() throws {
        let scene = try ProgramScene(
            source: "import Errand\nstruct A: Endpoint {\n    let path: EndpointPath\n    \(Self.retries)\n}\n")
        #expect(scene.run() == 1)
        #expect(
            scene.output.hasPrefix(
                "Sources/Lab/Box.swift:4:9: error: `retries` is not a requirement of Endpoint: set it in `options`: "
                    + "`.retries(…)` [near-miss]\n    in A.retries: var retries: RetryPolicy { .standard }\n"))
        try scene.write(
            "rule: near-miss\nfile: Sources/Lab/Box.swift\nin: A.retries\nreason: The screen shows it.\n",
            to: ".race-check")
        #expect(scene.run() == 0)
        #expect(scene.output == "race-check: 2 files scanned, 0 new, 1 allowed\n")
    }

    @Test(arguments: [
        "struct A: Endpoint {", "struct A: Endpoint { var", "struct A: Endpoint { var x: ",
        "struct A: Endpoint { func f(",
        "struct A: Endpoint { let retries = ", "struct A: Endpoint { func f() -> ", "struct A: { var method: [ }",
        "extension A: Endpoint where T < U { var method: String { } } }", "struct A<: Endpoint { let method, }",
        "struct A: Endpoint { func decode(_ x: , y) {} }", "typealias", "import",
        "struct A: A, Endpoint {} class A: A {}",
        "struct A: Endpoint { static", "struct A: Endpoint { ) } ]", "protocol P: Q {} protocol Q: P {} struct A: Q {}",
    ])
    func `a source that is no Swift is read to its end`(source: String) {
        #expect(self.misses(source).count <= 1)
    }
}
