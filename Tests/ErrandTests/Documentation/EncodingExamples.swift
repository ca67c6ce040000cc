internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if canImport(ErrandURLSession)
    @testable internal import ErrandURLSession
#endif

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension BaseURL {
    static let images: BaseURL = .named("images")
}

struct GetPhoto: Endpoint {
    let name: String

    var path: EndpointPath { "\(self.name)" }
    var baseURL: BaseURL { .images }
}

struct GetStyles: Endpoint {
    var path: EndpointPath { "styles.css" }
    var baseURL: BaseURL { .cdn }
}

extension Documented {
    /// The examples of the article "Parameters, bodies and URLs".
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct EncodingExamples {
        struct FindUsers: Endpoint {
            let page: Int

            var path: EndpointPath { "users" }
            var parameters: Parameters {
                ["page": .int(self.page), "tags": ["new", "near"], "age": ["from": 18, "to": nil]]
            }
        }

        struct UploadPhoto: Endpoint {
            typealias Response = Void

            let photo: URL
            let album: String

            var path: EndpointPath { "photos" }
            var method: HTTPMethod { .post }
            var body: RequestBody {
                var form = MultipartForm(["album": .string(self.album)])
                form.append("photo", file: self.photo)
                return .multipart(form)
            }
        }

        struct FindBooks: Endpoint {
            let words: [String]

            var path: EndpointPath { "books" }
            var method: HTTPMethod { .query }
            var parameters: Parameters { ["words": .array(self.words.map { .string($0) })] }
            var options: RequestOptions { .parameterEncoding(.json) }
        }

        struct UploadLog: Endpoint {
            typealias Response = Void

            let log: URL

            var path: EndpointPath { "log" }
            var method: HTTPMethod { .put }
            var body: RequestBody {
                .file(self.log, contentType: "text/plain").gzipped().throttled(bytesPerSecond: 100_000)
            }
        }

        struct FindOffers: Endpoint {
            struct Filter: Encodable {
                var color: String?
                var sizes: [Int]
                var since: Date
            }

            let filter: Filter

            var path: EndpointPath { "offers" }
            var parameters: Parameters { get throws { try Parameters(encoding: self.filter) } }
        }

        struct AddOffer: Endpoint {
            let title: String

            var path: EndpointPath { "offers" }
            var method: HTTPMethod { .post }
            var parameters: Parameters { ["title": .string(self.title), "draft": true] }
            var options: RequestOptions { .parameterEncoding(.json) }
        }

        struct Report: Endpoint {
            struct Event: Encodable, Sendable {
                let name: String
                let at: Date
                let value: Double
            }

            typealias Response = Void

            let events: [Event]

            var path: EndpointPath { "events" }
            var method: HTTPMethod { .post }
            var body: RequestBody {
                .json(
                    self.events,
                    style: .init(
                        keys: .snakeCase, dates: .millisecondsSince1970,
                        nonFiniteNumbers: .texts(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")))
            }
        }

        struct AddSeat: Endpoint {
            typealias Response = Void

            let row: Int
            let name: String
            let note: String?

            var path: EndpointPath { "seats" }
            var method: HTTPMethod { .post }
            var body: RequestBody { .json(["row": self.row, "name": self.name, "note": self.note]) }
        }

        struct Search: Endpoint {
            let name: String
            let moment: Date

            var path: EndpointPath { "search" }
            var method: HTTPMethod { .post }
            var body: RequestBody {
                .json([
                    "user": .string(self.name), "range": ["from": nil, "ids": [1, "x", true]], "at": .date(self.moment),
                ])
            }
        }

        struct Signed: Endpoint {
            let url: URL
            let sign: @Sendable (URLRequest) throws -> URLRequest

            var path: EndpointPath { .url(self.url) }

            func customRequest() throws -> HTTPRequest? {
                try HTTPRequest(self.sign(URLRequest(url: self.url)))
            }
        }

        private let client = Documented.makeClient()
        private let moment = Date(timeIntervalSince1970: 0)

        private func body(of endpoint: some Endpoint) throws -> String? {
            guard case .bytes(let data) = try self.client.httpRequest(for: endpoint).body else { return nil }
            return String(decoding: data, as: UTF8.self)
        }

        @Test func `a body as a literal`() throws {
            let body = try self.body(of: Search(name: "Ann", moment: self.moment))
            #expect(
                body == #"{"at":"1970-01-01T00:00:00Z","range":{"from":null,"ids":[1,"x",true]},"user":"Ann"}"#)
        }

        @Test func `parameters as a literal, and as something Encodable`() throws {
            #expect(
                try self.client.httpRequest(for: FindUsers(page: 2)).url.requestTarget
                    == "/v1/users?age%5Bfrom%5D=18&age%5Bto%5D&page=2&tags%5B%5D=new&tags%5B%5D=near")
            let filter = FindOffers.Filter(color: nil, sizes: [38, 39], since: self.moment)
            #expect(
                try self.client.httpRequest(for: FindOffers(filter: filter)).url.query
                    == "since=1970-01-01T00%3A00%3A00Z&sizes%5B%5D=38&sizes%5B%5D=39")
        }

        @Test func `parameters as JSON`() throws {
            #expect(try self.body(of: AddOffer(title: "Boots")) == #"{"draft":true,"title":"Boots"}"#)
            #expect(try self.body(of: FindBooks(words: ["sea", "red"])) == #"{"words":["sea","red"]}"#)
        }

        @Test func `another style for queries`() throws {
            let transport = StubTransport()
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.options = .parameterEncoding(
                    ParameterEncoding(query: .init(arrays: .commas, booleans: .words, dates: .secondsSince1970)))
            }
            let filter = FindOffers.Filter(color: "red", sizes: [38, 39], since: self.moment)
            #expect(
                try client.httpRequest(for: FindOffers(filter: filter)).url.query
                    == "color=red&since=0&sizes=38,39")
        }

        @Test func `a literal with variables`() throws {
            #expect(
                try self.body(of: AddSeat(row: 3, name: "Ann", note: nil)) == #"{"name":"Ann","note":null,"row":3}"#)
            let (row, x) = (3, 1)
            let body = RequestBody.json(["row": row, "at": ["x": .int(x), "y": nil] as Parameters.Value])
            guard case .bytes(let data)? = try body.encoded()?.body else {
                Issue.record("the body is not at hand")
                return
            }
            #expect(String(decoding: data, as: UTF8.self) == #"{"at":{"x":1,"y":null},"row":3}"#)
        }

        @Test func `JSON in a style`() throws {
            let event = Report.Event(name: "tap", at: self.moment, value: .infinity)
            #expect(
                try self.body(of: Report(events: [event]))
                    == #"[{"at":0,"name":"tap","value":"inf"}]"#)
        }

        @Test func `a form with a file, and a body that is smaller and slower`() async throws {
            let folder = try FixtureFolder()
            let file = try folder.file("sun.jpg", Data("light".utf8))
            let form = try self.client.httpRequest(for: UploadPhoto(photo: file, album: "summer"))
            #expect(form.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=errand-") == true)
            guard case .stream(_, let length?) = form.body else {
                Issue.record("the form has no length")
                return
            }
            #expect(length > 200)
            let log = try self.client.httpRequest(for: UploadLog(log: file))
            #expect(log.headers["Content-Encoding"] == "gzip")
            #expect(log.headers["Content-Type"] == "text/plain")
        }

        @Test func `several hosts, shared arguments, and a change while requests run`() throws {
            let transport = StubTransport()
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.transport = transport
                $0.baseURLs.cdn = "https://cdn.example.com/"
                $0.baseURLs.named = ["images": "https://images.example.com/large"]
                $0.baseURLs.pathFilters = [.query(["app": "1.2"]), PathFilter { path, _ in "de/\(path)" }]
            }
            func url(_ endpoint: some Endpoint) throws -> String { try client.httpRequest(for: endpoint).url.string }
            #expect(try url(GetPhoto(name: "sun.jpg")) == "https://images.example.com/large/de/sun.jpg?app=1.2")
            #expect(try url(GetStyles()) == "https://cdn.example.com/de/styles.css?app=1.2")
            client.updateDefaults {
                $0.baseURLs.main = "https://staging.example.com/v1/"
                $0.headers["X-Tenant"] = "blue"
            }
            #expect(try url(GetImage(name: "a")) == "https://staging.example.com/v1/de/images/a?app=1.2")
            #expect(try client.httpRequest(for: GetStyles()).headers["X-Tenant"] == "blue")
        }

        @Test func `a request that is made elsewhere`() throws {
            let url = try #require(URL(string: "https://files.example.com/a"))
            let endpoint = Signed(url: url) { request in
                var request = request
                request.setValue("1", forHTTPHeaderField: "X-Signature")
                return request
            }
            #expect(try self.client.httpRequest(for: endpoint).headers == ["X-Signature": "1"])
        }

        @Test func `a request as a command`() throws {
            let client = self.client
            let command = try client.curlCommand(for: Register(name: "Ann", password: "s3cret"))
            #expect(command.hasPrefix("curl https://api.example.com/v1/accounts --header "))
            #expect(command.contains(#"'{"name":"Ann","password":"***"}'"#))
        }
    }
}
