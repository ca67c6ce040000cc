internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Forms of several parts", .timeLimit(.minutes(60)), .paced)
struct MultipartFormTests {
    private static let boundary = "Boundary+0123456789ABCDEF"

    private func form(_ fields: Parameters = [:]) -> MultipartForm {
        MultipartForm(fields, boundary: Self.boundary)
    }

    /// The content as the request would send it.
    private func content(of form: MultipartForm) async throws -> Data {
        try await FixtureBody.content(of: .multipart(form))
    }

    // MARK: - On the wire

    @Test func `T62 and D24: a field and file data are the bytes that RFC 7578 says`() async throws {
        var form = self.form(["key": "value"])
        form.append("DataName", data: Data("Data".utf8), filename: "DataFileName", contentType: "text/plain")
        let lines = [
            "--Boundary+0123456789ABCDEF", "Content-Disposition: form-data; name=\"key\"", "", "value",
            "--Boundary+0123456789ABCDEF",
            "Content-Disposition: form-data; name=\"DataName\"; filename=\"DataFileName\"",
            "Content-Type: text/plain", "", "Data", "--Boundary+0123456789ABCDEF--", "",
        ]
        #expect(try await String(decoding: self.content(of: form), as: UTF8.self) == lines.joined(separator: "\r\n"))
        #expect(form.contentType.description == "multipart/form-data; boundary=Boundary+0123456789ABCDEF")
    }

    @Test func `D24: with the type of the original it is 244 bytes long`() async throws {
        var form = self.form(["key": "value"])
        form.append("DataName", data: Data("Data".utf8), filename: "DataFileName", contentType: "mime")
        #expect(try await self.content(of: form).count == 244)
    }

    @Test(arguments: [
        ("a\"b", "a%22b"), ("a\r\nX-Evil: 1", "a%0D%0AX-Evil: 1"), ("a\u{0}b", "a%00b"), ("ü😀", "ü😀"), ("", ""),
        ("a%22b", "a%22b"), ("back\\slash", "back\\slash"), ("a\tb", "a\tb"), ("\t", "\t"),
        ("a\u{B}b", "a%0Bb"),
    ])
    func `D25: a name cannot break out of its field`(name: String, escaped: String) async throws {
        var form = self.form()
        form.append(name, "1")
        form.append("f", data: Data("2".utf8), filename: name)
        let text = try await String(decoding: self.content(of: form), as: UTF8.self)
        #expect(text.contains("form-data; name=\"\(escaped)\"\r\n\r\n1\r\n"))
        #expect(text.contains("form-data; name=\"f\"; filename=\"\(escaped)\"\r\n"))
    }

    @Test(arguments: [
        ("a\nb", "a%0D%0Ab", "a%0Ab"), ("a\rb", "a%0D%0Ab", "a%0Db"), ("\n\r", "%0D%0A%0D%0A", "%0A%0D"),
        ("\r\r\n", "%0D%0A%0D%0A", "%0D%0D%0A"), ("\r\n\n", "%0D%0A%0D%0A", "%0D%0A%0A"),
    ])
    func `D25: lines end as the HTML standard says`(name: String, field: String, file: String) async throws {
        var form = self.form([name: "0"])
        form.append(name, data: Data("1".utf8), filename: name)
        let text = try await String(decoding: self.content(of: form), as: UTF8.self)
        #expect(text.contains("form-data; name=\"\(field)\"\r\n\r\n0\r\n"))
        #expect(text.contains("form-data; name=\"\(field)\"; filename=\"\(file)\"\r\n"))
    }

    @Test func `T61: a file has the type of its extension`() async throws {
        #expect(MIMEType.ofFile(named: "adn.cer") == "application/x-x509-ca-cert")
        #expect(MIMEType.ofFile(named: "a.b.PNG") == "image/png")
        #expect(MIMEType.ofFile(named: "png") == .octetStream)
        #expect(MIMEType.ofFile(named: "a.") == .octetStream)
        #expect(MIMEType.ofFile(named: "a.unheard") == .octetStream)
        let folder = try FixtureFolder()
        var form = self.form()
        form.append("file", file: try folder.file("adn.cer", Data("cert".utf8)))
        let text = try await String(decoding: self.content(of: form), as: UTF8.self)
        #expect(
            text.contains("name=\"file\"; filename=\"adn.cer\"\r\nContent-Type: application/x-x509-ca-cert\r\n\r\ncert")
        )
    }

    @Test func `D27: without a part there is no body and no type`() throws {
        let encoded = try #require(try RequestBody.multipart(self.form()).encoded())
        #expect(encoded.contentType == nil)
        guard case .none = encoded.body else {
            Issue.record("there is a body")
            return
        }
    }

    @Test func `parts with fields of their own keep them in their order`() async throws {
        var form = self.form()
        form.append(headers: ["X-B": "2", "X-A": "1"], .bytes(Data("own".utf8)))
        let text = try await String(decoding: self.content(of: form), as: UTF8.self)
        #expect(text.hasPrefix("--\(Self.boundary)\r\nX-B: 2\r\nX-A: 1\r\n\r\nown\r\n--"))
    }

    @Test func `two forms have two boundaries`() {
        let boundaries = Set((0..<100).map { _ in MultipartForm().boundary })
        #expect(boundaries.count == 100)
    }

    @Test(arguments: ["", "a b", "a\"", "ä", String(repeating: "a", count: 71)])
    func `a boundary that may not be one fails the request`(boundary: String) {
        let error = FixtureBody.failure(of: .multipart(MultipartForm(["a": "1"], boundary: boundary)))
        #expect(error?.code == .encodingFailed)
        #expect(error?.message.hasPrefix("\"\(boundary)\" cannot be the boundary of a form") == true)
    }

    private static let intruders = ["--B1", "\r\n--B1--\r\n", "a\n--B1x", "----B1", "-\r\n--B--B1"]

    @Test(arguments: Self.intruders)
    func `a boundary that occurs in a field or in data fails the request`(content: String) {
        var data = MultipartForm(boundary: "B1")
        data.append("f", data: Data(content.utf8))
        var own = MultipartForm(boundary: "B1")
        own.append(headers: ["X-A": "1"], .bytes(Data(content.utf8)))
        for form in [MultipartForm(["f": .string(content)], boundary: "B1"), data, own] {
            let error = FixtureBody.failure(of: .multipart(form))
            #expect(error?.code == .encodingFailed)
            #expect(error?.message.contains("contains the boundary of the form") == true)
        }
    }

    @Test(arguments: Self.intruders, [1, 3, 64])
    func `a boundary that occurs in a file or a stream fails what sends it`(content: String, size: Int) async throws {
        let folder = try FixtureFolder()
        let bytes = Array(content.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).map { Data(bytes[$0..<min($0 + size, bytes.count)]) }
        var stream = MultipartForm(boundary: "B1")
        stream.append("f", stream: FixtureBody.stream(pieces), length: Int64(bytes.count))
        var file = MultipartForm(boundary: "B1")
        file.append("f", file: try folder.file("f", Data(bytes)))
        for form in [stream, file] {
            let error = await #expect(throws: ErrandError.self) { try await self.content(of: form) }
            #expect(error?.code == .encodingFailed)
            #expect(error?.message.hasPrefix("the part \"f\" of the form: its content contains the boundary") == true)
        }
    }

    @Test(arguments: ["B1", "--B", "--\r\nB1", "--b1", "B1--", "--B-B1"])
    func `what is no more than like the boundary is sent`(content: String) async throws {
        var form = MultipartForm(["a": .string(content)], boundary: "B1")
        form.append("f", stream: FixtureBody.stream([Data(content.utf8)]))
        let text = try await String(decoding: self.content(of: form), as: UTF8.self)
        #expect(text.contains("name=\"a\"\r\n\r\n\(content)\r\n--B1"))
        #expect(text.hasSuffix("\r\n\r\n\(content)\r\n--B1--\r\n"))
    }

    @Test func `a field that cannot be sent fails the request`() {
        var form = self.form()
        form.append(headers: ["X-A": "1\r\nX-B: 2"], .none)
        let error = FixtureBody.failure(of: .multipart(form))
        #expect(error?.code == .encodingFailed)
        #expect(error?.message.hasPrefix("part 1 of the form: it has invalid header fields: ") == true)
    }

    // MARK: - Lengths

    @Test func `the length is told when all lengths are known`() async throws {
        let folder = try FixtureFolder()
        let bytes = Data((0..<150_000).map { UInt8(truncatingIfNeeded: $0) })
        var form = self.form(["a": "1"])
        form.append("file", file: try folder.file("f", bytes))
        form.append("stream", stream: FixtureBody.stream([Data("ab".utf8), Data("c".utf8)]), length: 3)
        let encoded = try #require(try RequestBody.multipart(form).encoded())
        guard case .stream(let stream, let length) = encoded.body else {
            Issue.record("the body is no stream")
            return
        }
        let first = try await FixtureBody.all(of: stream)
        #expect(length == Int64(first.count))
        #expect(first.range(of: bytes) != nil)
        #expect(stream.isRepeatable)
        #expect(try await FixtureBody.all(of: stream) == first)
    }

    @Test func `no length is told when one is missing`() async throws {
        var form = self.form()
        form.append("stream", stream: FixtureBody.stream([Data("abc".utf8)], isRepeatable: false))
        let encoded = try #require(try RequestBody.multipart(form).encoded())
        guard case .stream(let stream, nil) = encoded.body else {
            Issue.record("there is a length")
            return
        }
        #expect(!stream.isRepeatable)
        #expect(try await String(decoding: FixtureBody.all(of: stream), as: UTF8.self).contains("\r\n\r\nabc\r\n--"))
    }

    @Test(arguments: [2, 4])
    func `a stream of another length than was said fails`(length: Int64) async throws {
        var form = self.form()
        form.append("stream", stream: FixtureBody.stream([Data("abc".utf8)]), length: length)
        let error = await #expect(throws: ErrandError.self) { try await self.content(of: form) }
        #expect(
            error?.message == "the part \"stream\" of the form: its length differs from the declared \(length) bytes")
    }

    @Test(arguments: [Int64.max, -1])
    func `a length that cannot be fails the request`(length: Int64) {
        var form = self.form(["a": "1"])
        form.append("stream", stream: FixtureBody.stream([]), length: length)
        let error = FixtureBody.failure(of: .multipart(form))
        #expect(error?.code == .encodingFailed)
        #expect(error?.message == "the part \"stream\" of the form: it cannot have \(length) bytes")
    }

    // MARK: - Files

    @Test func `D26: what is no file, or is not there, fails the request`() throws {
        let folder = try FixtureFolder()
        let places = [
            URL(string: "https://example.com/a"), folder.url.appending(path: "missing"), folder.url,
            URL(filePath: "/dev/zero"),
        ]
        for place in places {
            var form = self.form()
            form.append("file", file: try #require(place))
            let error = FixtureBody.failure(of: .multipart(form))
            #expect(error?.code == .encodingFailed || error?.code == .unsupported)
            #expect(error?.message.hasPrefix("the part \"file\" of the form: ") == true)
        }
    }

    @Test func `D28: a file that becomes shorter fails what sends it`() async throws {
        let folder = try FixtureFolder()
        let file = try folder.file("f", Data(count: 300_000))
        var form = self.form()
        form.append("file", file: file)
        let encoded = try #require(try RequestBody.multipart(form).encoded())
        guard case .stream(let stream, _) = encoded.body else {
            Issue.record("the body is no stream")
            return
        }
        // Before it is read, and while it is.
        for isBegun in [false, true] {
            _ = try folder.file("f", Data(count: 300_000))
            var chunks = stream.makeAsyncIterator()
            if isBegun { for _ in 0..<2 { _ = try await chunks.next() } }
            try FileHandle(forWritingTo: file).truncate(atOffset: 1000)
            let error = await #expect(throws: ErrandError.self) {
                while try await chunks.next() != nil {}
            }
            #expect(error?.message.hasPrefix("the part \"file\" of the form: ") == true)
        }
    }

    @Test func `what a file grows by is left out`() async throws {
        let folder = try FixtureFolder()
        var form = self.form()
        form.append("file", file: try folder.file("f", Data("old".utf8)))
        let encoded = try #require(try RequestBody.multipart(form).encoded())
        _ = try folder.file("f", Data("old and new".utf8))
        guard case .stream(let stream, let length) = encoded.body else {
            Issue.record("the body is no stream")
            return
        }
        let content = try await FixtureBody.all(of: stream)
        #expect(Int64(content.count) == length)
        #expect(String(decoding: content, as: UTF8.self).contains("\r\n\r\nold\r\n--"))
    }

    @Test func `a form is written into a file as it would be sent`() async throws {
        let folder = try FixtureFolder()
        var form = self.form(["a": "1"])
        form.append("file", file: try folder.file("f", Data(count: 200_000)))
        let place = folder.url.appending(path: "body")
        try await form.write(to: place)
        #expect(try await Data(contentsOf: place) == self.content(of: form))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["body", "f"])
    }
}
