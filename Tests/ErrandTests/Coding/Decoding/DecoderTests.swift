internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Decoders", .timeLimit(.minutes(60)), .paced)
struct DecoderTests {
    struct User: Decodable, Sendable, Equatable {
        let name: String
        var born: Date?
    }

    private func response(_ body: String, _ type: String? = nil, status: HTTPStatus = 200) -> HTTPResponse {
        self.response(Data(body.utf8), type, status: status)
    }

    private func response(_ body: Data, _ type: String? = nil, status: HTTPStatus = 200) -> HTTPResponse {
        HTTPResponse(status: status, headers: type.map { ["Content-Type": $0] } ?? [:], body: body)
    }

    // MARK: - JSON

    @Test func `of JSON take strategies, free-form values and remove nulls`() throws {
        let json = self.response(#"{"name":"Ann","born":"1970-01-01T00:00:10Z"}"#)
        let strategies = JSONDecoder()
        strategies.dateDecodingStrategy = .iso8601
        let user = try ResponseDecoder<User>.json(strategies).decode(json)
        #expect(user == User(name: "Ann", born: Date(timeIntervalSince1970: 10)))
        #expect(try ResponseDecoder<JSONValue>.json.decode(self.response("[1e400]"))[0]?.description == "1e400")
        let nulls = self.response("[1,null,2]")
        #expect(throws: ErrandError.self) { try ResponseDecoder<[Int]>.json.decode(nulls) }
        #expect(try ResponseDecoder<[Int]>.json(removingNulls: true).decode(nulls) == [1, 2])
        #expect(try ResponseDecoder<JSONValue>.json(removingNulls: true).decode(nulls) == [1, 2])
        #expect(throws: ErrandError.self) {
            try ResponseDecoder<User>.json(removingNulls: true).decode(self.response(#"{"name":null}"#))
        }
    }

    @Test("T68: an empty body, or a single space, is nothing for what can be nothing", arguments: ["", " ", "\r\n"])
    func empty(body: String) throws {
        let response = self.response(body, status: 204)
        #expect(try ResponseDecoder<User?>.json.decode(response) == nil)
        #expect(try ResponseDecoder<JSONValue>.json.decode(response) == .null)
        #expect(try ResponseDecoder<JSONValue?>.json.decode(response) == JSONValue?.none)
        let error = #expect(throws: ErrandError.self) { try ResponseDecoder<User>.json.decode(response) }
        #expect(error?.message == "the body is empty where JSON for DecoderTests.User is needed")
    }

    @Test(arguments: [
        (
            #"{"name": x}"#,
            "not JSON for DecoderTests.User: line 1, column 10: expected a value, found \"x\" (U+0078)"
        ),
        (#"{"name": 1}"#, "not JSON for DecoderTests.User: at $.name expected String, found number"),
    ])
    func `of JSON say where it goes wrong`(body: String, message: String) {
        let error = #expect(throws: ErrandError.self) { try ResponseDecoder<User>.json.decode(self.response(body)) }
        #expect(error?.message == message)
        #expect(error?.cause is DecodingError)
    }

    // MARK: - Text

    @Test(arguments: [
        ("text/plain; charset=utf-16", Data([0xFE, 0xFF, 0x00, 0xE4]), "ä"),
        ("text/plain; charset=UTF-16LE", Data([0xE4, 0x00]), "ä"),
        ("text/plain; charset=windows-1252", Data([0x80]), "€"),
        ("text/plain; charset=windows-1251", Data([0xC6]), "Ж"),
        ("text/plain; charset=iso-8859-15", Data([0xA4]), "€"),
        ("text/plain; charset=Shift_JIS", Data([0x82, 0xA0]), "あ"),
        ("text/plain; charset=GBK", Data([0xC4, 0xE3]), "你"), ("text/plain; charset=gb2312", Data([0xC4, 0xE3]), "你"),
        ("text/plain; charset=big5", Data([0xA7, 0x41]), "你"), ("text/plain; charset=euc-kr", Data([0xB0, 0xA1]), "가"),
        ("text/plain; charset=koi8-r", Data([0xF6]), "Ж"),
        ("text/plain", Data(), ""),
    ])
    func `of text know charsets`(type: String, body: Data, text: String) throws {
        #expect(try ResponseDecoder.text.decode(self.response(body, type)) == text)
    }

    @Test(arguments: [
        ("klingon", Data([0x61]), "the charset \"klingon\" is unknown"),
        ("utf-16", Data([0x61]), "the body is not text in utf-16"),
        ("utf-16be", Data([0xD8, 0x00]), "the body is not text in utf-16be"),
        ("utf-32", Data([0, 0, 0x61]), "the body is not text in utf-32"),
        ("shift_jis", Data([0x82]), "the body is not text in shift_jis"),
        ("UTF-8", Data([0xE4]), "the body is not text in UTF-8"),
    ])
    func `of text cut nothing off and repair nothing`(charset: String, body: Data, message: String) {
        let error = #expect(throws: ErrandError.self) {
            try ResponseDecoder.text(charset: charset).decode(self.response(body, "text/plain; charset=us-ascii"))
        }
        #expect(error?.message == message)
    }

    @Test func `of text take a given charset for that of the response`() throws {
        let response = self.response(Data([0xE4]), "text/plain; charset=utf-8")
        #expect(try ResponseDecoder.text(charset: "latin1").decode(response) == "ä")
    }

    // MARK: - XML

    @Test func `of XML make a tree, or read events`() throws {
        let response = self.response("<list><item/><item/></list>", "application/xml; charset=utf-8")
        #expect(try ResponseDecoder.xml.decode(response).children.count == 2)
        let counter = ResponseDecoder.xml { reader in
            var count = 0
            while let event = try reader.next() {
                if case .startElement("item", _) = event { count += 1 }
            }
            return count
        }
        #expect(try counter.decode(response) == 2)
        #expect(throws: ErrandError.self) { try ResponseDecoder.xml.decode(self.response("")) }
        #expect(try ResponseDecoder<Int?>.xml { _ in 1 }.decode(self.response("")) == nil)
    }

    @Test("T72: a valid document, and one that breaks off")
    func documents() throws {
        #expect(try ResponseDecoder.xml.decode(self.response("<foo/>")).name == "foo")
        let error = #expect(throws: ErrandError.self) { try ResponseDecoder.xml.decode(self.response("<foo")) }
        #expect(error?.message.contains("line 1, column 5") == true)
    }

    // MARK: - Several

    @Test("T74: the first of several decoders that can, here of XML and JSON on JSON")
    func first() throws {
        let decoder = ResponseDecoder.first(
            ResponseDecoder.xml.map(Document.xml), ResponseDecoder<JSONValue>.json.map(Document.json))
        #expect(decoder.accept == "application/xml, text/xml, application/json")
        #expect(try decoder.decode(self.response(#"{"key":"value"}"#, "application/json")) == .json(["key": "value"]))
        #expect(try decoder.decode(self.response("<a/>", "text/xml")) == .xml(XMLTree(name: "a")))
        // No member reads this type: the validation named it, so all are asked.
        #expect(try decoder.decode(self.response("[1]", "text/plain")) == .json([1]))
        let error = #expect(throws: ErrandError.self) { try decoder.decode(self.response("?", "text/plain")) }
        #expect(error?.message.contains("not XML") == true)
        #expect(error?.message.contains("not JSON") == true)
        #expect((error?.cause as? ErrandError)?.code == .decodingFailed)
    }

    enum Document: Sendable, Equatable {
        case xml(XMLTree)
        case json(JSONValue)
    }

    @Test func `of several accept what one of them accepts, and their values can be transformed`() throws {
        let decoder = ResponseDecoder.first(ResponseDecoder<Int>.json.map(String.init), ResponseDecoder.text)
        #expect(decoder.contentTypes.contains("*/*"))
        #expect(decoder.accept == "application/json, */*")
        #expect(try decoder.decode(self.response("12", "application/json")) == "12")
        #expect(try decoder.decode(self.response("zwölf", "text/plain")) == "zwölf")
        let failing = ResponseDecoder<Int>.json.map { _ throws -> Int in throw FixtureError() }
        #expect(throws: FixtureError.self) { try failing.decode(self.response("1")) }
    }

    // MARK: - Strategies

    private struct Named: Decodable, Sendable, Equatable {
        let nickName: String
        let bornAt: Date
    }

    @Test(
        arguments: [
            (nil, nil, #"{"nickName":"Ann","bornAt":"1970-01-01T00:00:10Z"}"#),
            (.convertFromSnakeCase, nil, #"{"nick_name":"Ann","born_at":"1970-01-01T00:00:10Z"}"#),
            (nil, .secondsSince1970, #"{"nickName":"Ann","bornAt":10}"#),
            (.convertFromSnakeCase, .secondsSince1970, #"{"nick_name":"Ann","born_at":10}"#),
        ] as [(JSONDecoder.KeyDecodingStrategy?, JSONDecoder.DateDecodingStrategy?, String)])
    func `one strategy of a JSON decoder leaves the others alone`(
        keys: JSONDecoder.KeyDecodingStrategy?, dates: JSONDecoder.DateDecodingStrategy?, body: String
    ) throws {
        let named = try ResponseDecoder<Named>.json(keys: keys, dates: dates).decode(self.response(body))
        #expect(named == Named(nickName: "Ann", bornAt: Date(timeIntervalSince1970: 10)))
    }

    @Test func `a JSON decoder inherits the strategies that it has not, also behind another decoder`() throws {
        let client = JSONDecoder()
        client.keyDecodingStrategy = .convertFromSnakeCase
        client.dateDecodingStrategy = .secondsSince1970
        let (snake, ann) = (self.response(#"{"nick_name":"Ann","born_at":10}"#), Date(timeIntervalSince1970: 10))
        let inheriting: [ResponseDecoder<Named>] = [
            .json, .json(), .json(keys: .convertFromSnakeCase), .json(dates: .secondsSince1970),
            ResponseDecoder<Named>.json.map { $0 }, .first(.json),
        ]
        for decoder in inheriting {
            #expect(try decoder.decode(snake, inheriting: client) == Named(nickName: "Ann", bornAt: ann))
        }
        let own: [ResponseDecoder<Named>] = [.json(JSONDecoder()), .json(keys: .useDefaultKeys)]
        for decoder in own {
            #expect(throws: ErrandError.self) { try decoder.decode(snake, inheriting: client) }
        }
    }

    // MARK: - Functions

    @Test func `a decoder made from a function says what it reads`() throws {
        let decoder = ResponseDecoder<Int>(contentTypes: ["text/csv"], accept: "text/csv; header=absent") { response in
            response.data.count
        }
        #expect(decoder.contentTypes == ["text/csv"])
        #expect(decoder.accept == "text/csv; header=absent")
        #expect(try decoder.map { $0 * 2 }.decode(self.response("abc")) == 6)
        #expect(decoder.map { $0 * 2 }.contentTypes == ["text/csv"])
        let other = ResponseDecoder { _ in true }
        #expect(other.contentTypes == ["*/*"])
        #expect(other.accept == "*/*")
    }

    // MARK: - The rest

    @Test func `of nothing and of files`() throws {
        try ResponseDecoder.void.decode(self.response("{"))
        #expect(try ResponseDecoder.data.decode(self.response("{")) == Data("{".utf8))
        #expect(throws: ErrandError.self) { try ResponseDecoder.file.decode(self.response("{")) }
        #expect(ResponseDecoder.void.accept == "*/*")
    }
}
