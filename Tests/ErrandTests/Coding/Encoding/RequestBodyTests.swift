internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Bodies: forms, JSON, property lists and text", .timeLimit(.minutes(60)), .paced)
struct RequestBodyTests {
    private func encoded(_ body: RequestBody) throws -> (type: String?, bytes: Data) {
        let encoded = try #require(try body.encoded())
        guard case .bytes(let data) = encoded.body else { return (encoded.contentType?.description, Data()) }
        return (encoded.contentType?.description, data)
    }

    private func text(_ body: RequestBody) throws -> String {
        String(decoding: try self.encoded(body).bytes, as: UTF8.self)
    }

    private func failure(_ body: RequestBody) -> ErrandError? {
        #expect(throws: ErrandError.self) { try body.encoded() }
    }

    // MARK: - Forms

    @Test func `a form is a query in a body`() throws {
        let form = try self.encoded(.form(["b": "x y", "a": [1]]))
        #expect(form.type == "application/x-www-form-urlencoded")
        #expect(String(decoding: form.bytes, as: UTF8.self) == "a%5B%5D=1&b=x%20y")
        #expect(try self.text(.form(["b": "x y"], style: ParameterEncoding.QueryStyle(spaces: .plus))) == "b=x+y")
        #expect(self.failure(.form(["b": .double(.nan)]))?.code == .encodingFailed)
    }

    // MARK: - JSON

    @Test(
        "T55: objects and arrays become JSON",
        arguments: [
            (RequestBody.json(["key": "value"]), #"{"key":"value"}"#),
            (.json([["key": "value"]]), #"[{"key":"value"}]"#),
            (
                .json(["b": ["d": 1, "c": nil], "a": [true, "/", 0.5]] as Parameters),
                #"{"a":[true,"/",0.5],"b":{"c":null,"d":1}}"#
            ),
            (.json([1, "x", nil, ["a": []]] as Parameters.Value), #"[1,"x",null,{"a":[]}]"#),
            (.json([:] as Parameters), "{}"),
        ])
    func json(body: RequestBody, text: String) throws {
        #expect(try self.text(body) == text)
        #expect(try self.encoded(body).type == "application/json")
    }

    /// A `String` cannot hold an unpaired surrogate: it becomes U+FFFD when the text is made, before there is a body.
    @Test func `T56: an unpaired surrogate cannot get as far as JSON`() throws {
        let text = String(decoding: [0xD800] as [UInt16], as: UTF16.self)
        #expect(try self.text(.json(["key": text])) == "{\"key\":\"\u{FFFD}\"}")
    }

    /// AFNetworking refuses a set; here it is an array, which is what JSON has for it, in an order that is always the
    /// same.
    @Test func `T57: a set becomes a sorted array`() throws {
        #expect(try self.text(.json(["key": .set(["b", "a"])] as Parameters)) == #"{"key":["a","b"]}"#)
    }

    private struct Item: Codable, Equatable {
        var nickName = "a"
        var at = Date(timeIntervalSince1970: 1_769_851_800.25)
    }

    @Test func `JSON has the style that is asked for`() throws {
        #expect(try self.text(.json(Item())) == #"{"at":"2026-01-31T09:30:00Z","nickName":"a"}"#)
        let styles: [(ParameterEncoding.JSONStyle, String)] = [
            (ParameterEncoding.JSONStyle(dates: nil), #"{"at":791544600.25,"nickName":"a"}"#),
            (
                ParameterEncoding.JSONStyle(keys: .snakeCase, dates: .iso8601),
                #"{"at":"2026-01-31T09:30:00Z","nick_name":"a"}"#
            ),
            (ParameterEncoding.JSONStyle(dates: .secondsSince1970), #"{"at":1769851800.25,"nickName":"a"}"#),
            (ParameterEncoding.JSONStyle(dates: .millisecondsSince1970), #"{"at":1769851800250,"nickName":"a"}"#),
            (ParameterEncoding.JSONStyle(dates: .custom { _ in "now" }), #"{"at":"now","nickName":"a"}"#),
        ]
        for (style, text) in styles { #expect(try self.text(.json(Item(), style: style)) == text) }
        let unsorted = try self.encoded(.json(Item(), style: ParameterEncoding.JSONStyle(sortsKeys: false, dates: nil)))
            .bytes
        #expect(try JSONDecoder().decode(Item.self, from: unsorted) == Item())
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a number that is not finite fails, or is the text that is asked for`(number: Double) throws {
        for body in [RequestBody.json(["a": ["b": number]]), .json(["a": [.double(number)]] as Parameters)] {
            let error = self.failure(body)
            #expect(error?.code == .encodingFailed)
            #expect(error?.cause is EncodingError)
        }
        let texts = ParameterEncoding.JSONStyle(
            nonFiniteNumbers: .texts(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan"))
        #expect(try self.text(.json([number], style: texts)) == "[\"\(number)\"]")
        #expect(try self.text(.json([.double(number)] as Parameters.Value, style: texts)) == "[\"\(number)\"]")
    }

    @Test func `a date that has no text fails`() {
        let item = Item(at: Date(timeIntervalSince1970: .infinity))
        for dates in [ParameterEncoding.DateStyle.iso8601, .secondsSince1970, .millisecondsSince1970] {
            #expect(
                self.failure(.json(item, style: ParameterEncoding.JSONStyle(dates: dates)))?.code == .encodingFailed)
        }
        let custom = ParameterEncoding.JSONStyle(dates: .custom { _ in throw FixtureError() })
        #expect(self.failure(.json(item, style: custom))?.code == .encodingFailed)
    }

    // MARK: - Property lists

    @Test func `T58: objects become property lists, in XML and in binary`() throws {
        for format in [ParameterEncoding.PropertyListFormat.xml, .binary] {
            let list = try self.encoded(.propertyList(["key": "value"], format: format))
            #expect(list.type == "application/x-plist")
            #expect(list.bytes.starts(with: Data((format == .xml ? "<?xml" : "bplist00").utf8)))
            #expect(try PropertyListDecoder().decode([String: String].self, from: list.bytes) == ["key": "value"])
        }
    }

    /// AFNetworking fails for a dictionary with numbers for keys; `Encodable` makes texts of them.
    @Test func `T58: numbers as keys become texts`() throws {
        let list = try self.encoded(.propertyList([1: "a"])).bytes
        #expect(try PropertyListDecoder().decode([String: String].self, from: list) == ["1": "a"])
    }

    @Test func `what a property list cannot carry fails`() {
        let parameters: Parameters = ["a": [1, ["b": nil]]]
        let error = self.failure(.propertyList(parameters))
        #expect(error?.code == .encodingFailed)
        #expect(error?.message == "the value at \"a[1][b]\" is null, which a property list does not support")
        #expect(self.failure(.propertyList("top"))?.code == .encodingFailed)
        #expect(self.failure(.propertyList(1, format: .binary))?.code == .encodingFailed)
    }

    private struct Reading: Codable, Equatable {
        var values: [Double?]
        var note: String?
        var at = Date(timeIntervalSinceReferenceDate: 0)
    }

    private func expectUnfit(
        _ value: some Encodable & Sendable, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = self.failure(.propertyList(value))
        #expect(error?.code == .encodingFailed, sourceLocation: sourceLocation)
        #expect(error?.message == "\(text), which a property list does not support", sourceLocation: sourceLocation)
    }

    @Test func `null and numbers that are not finite do not get into a property list`() {
        self.expectUnfit([1, nil] as [Int?], "the value at \"1\" is null")
        self.expectUnfit(Int?.none, "the value is null")
        self.expectUnfit(["a": [nil]] as JSONValue, "the value at \"a[0]\" is null")
        self.expectUnfit([1, [nil]] as Parameters.Value, "the value at \"1[0]\" is null")
        self.expectUnfit(["a": .set([nil])] as Parameters, "the value at \"a[0]\" is null")
        self.expectUnfit([Double.nan], "the value at \"0\" is nan")
        self.expectUnfit(["a": Float.infinity], "the value at \"a\" is inf")
        self.expectUnfit(["a": [.double(-.infinity)]] as Parameters, "the value at \"a[0]\" is -inf")
        self.expectUnfit(Reading(values: [1, nil]), "the value at \"values[1]\" is null")
        self.expectUnfit(Reading(values: [.nan]), "the value at \"values[0]\" is nan")
        let never = Date(timeIntervalSince1970: .nan)
        self.expectUnfit(Reading(values: [], at: never), "the value at \"at\" is an invalid date")
    }

    @Test func `what a property list can carry is there`() throws {
        let reading = Reading(values: [1.5])
        for format in [ParameterEncoding.PropertyListFormat.xml, .binary] {
            let list = try self.encoded(.propertyList(reading, format: format)).bytes
            #expect(try PropertyListDecoder().decode(Reading.self, from: list) == reading)
        }
    }

    // MARK: - Depth

    /// 2,000 levels are far more than a stack has room for, and few enough for the value itself to go away.
    @Test(arguments: [128, 129, 2_000])
    func `what goes deeper than 128 levels fails, whatever it is made of`(depth: Int) throws {
        func nested<Value>(_ innermost: Value, _ wrap: (Value) -> Value) -> Value {
            (0..<depth - 1).reduce(innermost) { inner, _ in wrap(inner) }
        }
        let values = [
            nested(Parameters.Value.array([])) { .array([$0]) }, nested(Parameters.Value.set([])) { .set([$0]) },
            nested(Parameters.Value.object([:])) { .object(Parameters([("a", $0)])) },
        ]
        let json = [nested(JSONValue.array([])) { .array([$0]) }, nested(JSONValue.object([:])) { .object(["a": $0]) }]
        let bodies =
            values.flatMap { [RequestBody.json($0), .propertyList($0)] }
            + json.flatMap { [RequestBody.json($0), .propertyList($0)] }
        for body in bodies {
            guard depth > 128 else {
                _ = try body.encoded()
                continue
            }
            let error = self.failure(body)
            #expect(error?.code == .encodingFailed)
            #expect(error?.message == "arrays and objects are nested more than 128 levels deep")
        }
    }

    @Test func `the levels around a value count as well`() throws {
        struct Around: Encodable, Sendable {
            let inner: JSONValue
            let list: [[JSONValue]]
        }
        let value = (0..<125).reduce([] as JSONValue) { inner, _ in .array([inner]) }
        _ = try self.encoded(.json(Around(inner: value, list: [])))
        #expect(self.failure(.json(Around(inner: nil, list: [[value]])))?.code == .encodingFailed)
        #expect(throws: ErrandError.self) { try Parameters.Value.encoding(Around(inner: nil, list: [[value]])) }
    }

    @Test func `the elements of a set are put in order, however deep they go`() {
        let deep = (0..<2_000).reduce(Parameters.Value.array([])) { inner, _ in .array([inner]) }
        let error = #expect(throws: ErrandError.self) { try (["a": .set([deep, 1])] as Parameters).query() }
        #expect(error?.code == .encodingFailed)
    }

    // MARK: - Text

    @Test(
        arguments: [
            ("UTF-8", "utf-8", [0xC3, 0xA4]), ("ISO-8859-1", "iso-8859-1", [0xE4]), ("latin1", "iso-8859-1", [0xE4]),
            ("windows-1252", "windows-1252", [0xE4]), ("utf-16be", "utf-16be", [0x00, 0xE4]),
            ("UTF-16LE", "utf-16le", [0xE4, 0x00]), ("utf-32be", "utf-32be", [0, 0, 0, 0xE4]),
            ("macintosh", "macintosh", [0x8A]), ("iso-8859-2", "iso-8859-2", [0xE4]),
            ("windows-1250", "windows-1250", [0xE4]), ("windows-1254", "windows-1254", [0xE4]),
        ] as [(String, String, [UInt8])])
    func `text is encoded as its charset says`(charset: String, name: String, bytes: [UInt8]) throws {
        let text = try self.encoded(.text("ä", charset: charset))
        #expect(text.type == "text/plain; charset=\(name)")
        #expect(text.bytes == Data(bytes))
    }

    @Test(arguments: [
        ("utf-16", "ä"), ("utf-32", "ä"), ("utf-32le", "ä"), ("us-ascii", "a"), ("windows-1251", "ж"),
        ("windows-1253", "λ"), ("windows-1255", "ש"), ("windows-1256", "م"), ("windows-1257", "ą"),
        ("windows-1258", "ă"), ("iso-8859-3", "ħ"), ("iso-8859-4", "ą"), ("iso-8859-5", "ж"), ("iso-8859-6", "م"),
        ("iso-8859-7", "λ"), ("iso-8859-8", "ש"), ("iso-8859-9", "ğ"), ("iso-8859-15", "€"), ("koi8-r", "ж"),
        ("shift_jis", "漢字"), ("iso-2022-jp", "漢字"), ("big5", "漢字"), ("gb2312", "汉字"), ("gbk", "汉字镕"),
        ("gb18030", "汉字👍"), ("euc-kr", "한글"),
    ])
    func `a charset reads what it writes`(name: String, text: String) throws {
        let charset = try #require(Charset(name))
        #expect(charset.decode(try #require(charset.encode(text))) == text)
    }

    @Test func `a charset takes the place of one in the type, and leaves other parameters`() throws {
        let body = RequestBody.text("a", charset: "latin1", contentType: "text/csv; header=absent; charset=utf-8")
        #expect(try self.encoded(body).type == "text/csv; charset=iso-8859-1; header=absent")
    }

    @Test(arguments: [
        ("klingon", "a", "klingon"), ("euc-jp", "a", "euc-jp"), ("gb2312", "한", "gb2312"), ("", "a", "\"\""),
        ("utf-8; x", "a", "utf-8; x"), ("us-ascii", "ä", "us-ascii"),
        ("iso-8859-1", "漢", "iso-8859-1"), ("windows-1251", "漢", "windows-1251"),
    ])
    func `an unknown charset, or a text that it does not have, fails`(charset: String, text: String, hint: String) {
        let error = self.failure(.text(text, charset: charset))
        #expect(error?.code == .encodingFailed)
        #expect(error?.message.contains(hint) == true, "\(error?.message ?? "")")
    }
}
