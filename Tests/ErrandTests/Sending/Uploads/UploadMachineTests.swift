internal import ErrandTesting
internal import TestEffort
internal import Testing

@testable internal import Errand

@Suite("How an upload goes on (G16, G17)", .timeLimit(.minutes(60)), .paced)
struct UploadMachineTests {
    private static let here = HTTPURL.fixture("https://a.example/files")
    private static let there = HTTPURL.fixture("https://a.example/uploads/1")

    /// Compares what an event returned; the macro cannot change a machine.
    private static func expect<Value: Equatable>(
        _ value: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(value == expected, sourceLocation: sourceLocation)
    }

    private static func head(_ status: Int, _ fields: HTTPFields = [:]) -> HTTPResponse.Head {
        HTTPResponse.Head(status: HTTPStatus(rawValue: status), headers: fields)
    }

    private static func response(_ status: Int, _ fields: HTTPFields = [:]) -> UploadMachine.Outcome {
        .response(Self.head(status, fields))
    }

    /// An upload of 100 bytes that was begun, and whose connection was lost behind so many.
    private static func lost(
        _ dialect: UploadDialect = .draft(version: 8), after sent: Int64 = 50, isIdempotent: Bool = false,
        chunkSize: Int64? = nil
    ) -> UploadMachine {
        var machine = UploadMachine(dialect, length: 100, isIdempotent: isIdempotent, chunkSize: chunkSize)
        #expect(machine.first == .create)
        if dialect == .tus {
            let step = machine.created(
                Self.response(201, ["Location": "/uploads/1"]), from: Self.here, count: 0)
            #expect(step == .append(Self.there, from: 0, count: min(chunkSize ?? 100, 100)))
            _ = machine.sent(sent)
            Self.expect(machine.appended(.lost, count: 100), .ask(Self.there, after: .zero))
        } else {
            Self.expect(machine.announced(Self.announcement(), from: Self.here), true)
            _ = machine.sent(sent)
            Self.expect(machine.created(.lost, from: Self.here, count: 100), .ask(Self.there, after: .zero))
        }
        return machine
    }

    private static func announcement(_ version: String? = "8", _ location: String? = "/uploads/1") -> HTTPResponse.Head
    {
        var fields: HTTPFields = [:]
        fields["Upload-Draft-Interop-Version"] = version
        fields["Location"] = location
        return Self.head(104, fields)
    }

    // MARK: - Where it is

    @Test(arguments: 3...8)
    func `is in the version that the server names`(version: Int) {
        var machine = UploadMachine(.draft(version: 8), length: 100, isIdempotent: false)
        Self.expect(machine.announced(Self.announcement("\(version)"), from: Self.here), true)
        #expect(machine.dialect == .draft(version: version))
        #expect(machine.location == Self.there)
    }

    @Test(
        arguments: [
            ("2", "/uploads/1"), ("9", "/uploads/1"), (nil, "/uploads/1"), ("x", "/uploads/1"), ("8", nil), ("8", ""),
            ("8", "http://a.example/uploads/1"), ("8", "ftp://a.example/1"), ("8", "http://"),
        ] as [(String?, String?)])
    func `is nowhere without a version that is known and a place that can be used`(version: String?, location: String?)
    {
        var machine = UploadMachine(.draft(version: 8), length: 100, isIdempotent: false)
        Self.expect(machine.announced(Self.announcement(version, location), from: Self.here), false)
        Self.expect(machine.created(.lost, from: Self.here, count: 100), .deliver(isOver: true))
    }

    @Test func `stays where it was`() {
        var machine = UploadMachine(.draft(version: 8), length: 100, isIdempotent: false)
        Self.expect(machine.announced(Self.announcement(), from: Self.here), true)
        Self.expect(machine.announced(Self.announcement("7", "/uploads/2"), from: Self.here), false)
        #expect(machine.location == Self.there)
        var tus = UploadMachine(.tus, length: 100, isIdempotent: false)
        Self.expect(tus.announced(Self.announcement(), from: Self.here), false)
    }

    // MARK: - What a server says that was asked

    @Test(arguments: [UploadDialect.draft(version: 8), .tus])
    func `goes on from where the server is`(dialect: UploadDialect) {
        for offset in Int64(0)...99 {
            var machine = Self.lost(dialect)
            let step = machine.asked(Self.response(200, ["Upload-Offset": "\(offset)"]))
            #expect(step == .append(Self.there, from: offset, count: 100 - offset))
        }
    }

    private static let answers: [(HTTPResponse.Head, UploadMachine.Step)] = [
        (head(200), .fail(.hasNoOffset)),
        (head(204, ["Upload-Offset": "-1"]), .fail(.hasNoOffset)),
        (head(204, ["Upload-Offset": "+1"]), .fail(.hasNoOffset)),
        (head(204, ["Upload-Offset": "1.0"]), .fail(.hasNoOffset)),
        (head(204, ["Upload-Offset": "9999999999999999"]), .fail(.hasNoOffset)),
        (head(204, ["Upload-Offset": ""]), .fail(.hasNoOffset)),
        (head(204, ["Upload-Offset": "101"]), .fail(.isBeyondEnd(101))),
        (head(204, ["Upload-Offset": "50", "Upload-Length": "99"]), .fail(.hasOtherLength(99))),
        (head(204, ["Upload-Offset": "50", "Upload-Length": "100"]), .append(there, from: 50, count: 50)),
        (head(204, ["Upload-Offset": "50; a=b"]), .append(there, from: 50, count: 50)),
        (head(204, ["Upload-Offset": "50", "Upload-Complete": "?0"]), .append(there, from: 50, count: 50)),
        (
            head(204, ["Upload-Offset": "50", "Upload-Limit": "max-append-size=20"]),
            .append(there, from: 50, count: 20)
        ),
        (
            head(204, ["Upload-Offset": "50", "Upload-Limit": "max-size=9, max-append-size=0"]),
            .append(there, from: 50, count: 50)
        ),
        (head(204, ["Upload-Offset": "50", "Upload-Complete": "?1"]), .fail(.isBehind(50))),
        (head(204, ["Upload-Offset": "100", "Upload-Complete": "?1"]), .deliver(isOver: true)),
        (head(204, ["Upload-Offset": "100", "Upload-Incomplete": "?0"]), .deliver(isOver: true)),
        (head(204, ["Upload-Offset": "100", "Upload-Incomplete": "?1"]), .append(there, from: 100, count: 0)),
        (head(204, ["Upload-Offset": "100"]), .append(there, from: 100, count: 0)),
        (head(304), .fail(.hasNoOffset)),
        (head(409), .ask(there, after: .seconds(1))), (head(423), .ask(there, after: .seconds(1))),
        (head(429, ["Retry-After": "7"]), .ask(there, after: .seconds(7))),
        (head(503, ["Retry-After": "0"]), .ask(there, after: .seconds(1))),
        (head(503, ["Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT"]), .ask(there, after: .seconds(1))),
        (head(429), .ask(there, after: .seconds(1))), (head(500), .ask(there, after: .seconds(1))),
        (head(503), .ask(there, after: .seconds(1))),
        (head(400), .create), (head(401), .deliver(isOver: false)), (head(403), .deliver(isOver: false)),
        (head(404), .create), (head(410), .create),
    ]

    @Test(arguments: answers.indices)
    func `believes nothing that cannot be`(index: Int) {
        let (head, step) = Self.answers[index]
        var machine = Self.lost()
        Self.expect(machine.asked(.response(head)), step)
    }

    @Test func `a server that takes content and has nothing of it is no success`() {
        var machine = Self.lost(.tus)
        for _ in 0..<UploadPatience.delays.count {
            _ = machine.asked(Self.response(200, ["Upload-Offset": "0"]))
            let step = machine.appended(Self.response(204, ["Upload-Offset": "0"]), count: 100)
            guard case .ask = step else { return Self.expect(step, .fail(.hasNoOffset)) }
        }
        _ = machine.asked(Self.response(200, ["Upload-Offset": "0"]))
        Self.expect(machine.appended(Self.response(204), count: 100), .fail(.hasNoOffset))
    }

    @Test func `a success that says what is missing is followed by that`() {
        var machine = UploadMachine(.draft(version: 8), length: 100, isIdempotent: false)
        Self.expect(machine.announced(Self.announcement(), from: Self.here), true)
        let fields: HTTPFields = ["Upload-Complete": "?0", "Upload-Offset": "30"]
        Self.expect(
            machine.created(Self.response(201, fields), from: Self.here, count: 100),
            .append(Self.there, from: 30, count: 70))
        Self.expect(machine.appended(Self.response(204, fields), count: 70), .ask(Self.there, after: .zero))
        Self.expect(
            machine.asked(Self.response(200, fields)), .append(Self.there, from: 30, count: 70))
        // Some servers confuse the field, and say nothing else.
        Self.expect(
            machine.appended(Self.response(204, ["Upload-Complete": "?0"]), count: 70), .deliver(isOver: true))
    }

    @Test func `content without a known length is not divided`() {
        var machine = UploadMachine(.draft(version: 8), length: nil, isIdempotent: false)
        var head = Self.announcement()
        head.headers["Upload-Limit"] = "max-append-size=10"
        Self.expect(machine.announced(head, from: Self.here), true)
        Self.expect(machine.created(.lost, from: Self.here, count: nil), .ask(Self.there, after: .zero))
        Self.expect(
            machine.asked(Self.response(200, ["Upload-Offset": "50"])), .append(Self.there, from: 50, count: nil))
    }

    @Test func `a credential that has expired leaves the record`() {
        for status in [401, 403, 407] {
            var machine = UploadMachine(.tus, length: 100, isIdempotent: false, location: Self.there)
            Self.expect(machine.asked(Self.response(status)), .deliver(isOver: false))
            machine = Self.lost(.tus)
            _ = machine.asked(Self.response(200, ["Upload-Offset": "50"]))
            Self.expect(machine.appended(Self.response(status), count: 50), .deliver(isOver: false))
        }
    }

    @Test(arguments: [502, 504]) func `a gateway that loses the last response does not lose the upload`(status: Int) {
        for dialect in [UploadDialect.draft(version: 8), .tus] {
            var machine = Self.lost(dialect)
            _ = machine.asked(Self.response(200, ["Upload-Offset": "50"]))
            Self.expect(machine.appended(Self.response(status), count: 50), .ask(Self.there, after: .zero))
            let whole: HTTPFields = ["Upload-Offset": "100", "Upload-Complete": "?1"]
            Self.expect(machine.asked(Self.response(200, whole)), .deliver(isOver: true))
        }
    }

    @Test func `does not wait for ever because a server says so`() {
        var machine = Self.lost()
        Self.expect(
            machine.asked(Self.response(503, ["Retry-After": "601"])), .deliver(isOver: false))
    }

    @Test func `is where the last exchange that begins it says`() {
        var machine = UploadMachine(.draft(version: 8), length: 100, isIdempotent: false)
        Self.expect(machine.announced(Self.announcement("8", "/uploads/0"), from: Self.here, in: 1), true)
        Self.expect(machine.announced(Self.announcement(), from: Self.here, in: 2), true)
        Self.expect(machine.announced(Self.announcement("8", "/uploads/2"), from: Self.here, in: 2), false)
        Self.expect(machine.created(.lost, from: Self.here, count: 100), .ask(Self.there, after: .zero))
        Self.expect(machine.announced(Self.announcement("8", "/uploads/3"), from: Self.here, in: 3), false)
    }

    @Test func `does not go back`() {
        var machine = Self.lost()
        Self.expect(
            machine.asked(Self.response(204, ["Upload-Offset": "50"])), .append(Self.there, from: 50, count: 50))
        Self.expect(machine.appended(.lost, count: 50), .ask(Self.there, after: .zero))
        Self.expect(machine.asked(Self.response(204, ["Upload-Offset": "49"])), .fail(.isBehind(49)))
    }

    // MARK: - What is not sent twice

    @Test(arguments: [UploadDialect.draft(version: 8), .tus])
    func `begins anew once, and only if the server cannot have had all`(dialect: UploadDialect) {
        var machine = Self.lost(dialect, after: 99)
        Self.expect(machine.asked(Self.response(404)), .create)
        #expect(machine.location == nil)
        var again = Self.lost(dialect, after: 100)
        Self.expect(again.asked(Self.response(404)), .fail(.isGoneAndMayBeComplete))
    }

    @Test func `begins anew in any case with a method that is idempotent, and once`() {
        var machine = Self.lost(after: 100, isIdempotent: true)
        Self.expect(machine.asked(Self.response(410)), .create)
        Self.expect(machine.announced(Self.announcement("8", "/uploads/2"), from: Self.here, in: 3), true)
        _ = machine.created(.lost, from: Self.here, count: 100)
        Self.expect(machine.asked(Self.response(410)), .fail(.isGone))
    }

    @Test func `does not know how much a stream without a length is`() {
        var machine = UploadMachine(.draft(version: 8), length: nil, isIdempotent: false)
        Self.expect(machine.announced(Self.announcement(), from: Self.here), true)
        Self.expect(machine.sent(1), TransferProgress(bytes: 1, total: nil))
        Self.expect(machine.created(.lost, from: Self.here, count: nil), .ask(Self.there, after: .zero))
        Self.expect(machine.asked(Self.response(404)), .fail(.isGoneAndMayBeComplete))
    }

    @Test func `begins anew where a record is not about it`() {
        let answers = [
            Self.head(404), Self.head(400), Self.head(200),
            Self.head(204, ["Upload-Offset": "5", "Upload-Length": "9"]),
        ]
        for answer in answers {
            var machine = UploadMachine(.tus, length: 100, isIdempotent: false, location: Self.there)
            #expect(machine.first == .ask(Self.there, after: .zero))
            Self.expect(machine.asked(.response(answer)), .create)
        }
    }

    // MARK: - Responses to content

    private static let appended: [(UploadDialect, HTTPResponse.Head, UploadMachine.Step)] = [
        (.draft(version: 8), head(200), .deliver(isOver: true)),
        (.draft(version: 8), head(400), .deliver(isOver: true)),
        (.draft(version: 8), head(302), .deliver(isOver: true)),
        (.draft(version: 8), head(500, ["Upload-Complete": "?1"]), .deliver(isOver: true)),
        (.draft(version: 8), head(404, ["Upload-Complete": "?1"]), .deliver(isOver: true)),
        (.draft(version: 8), head(500), .ask(there, after: .zero)),
        (.draft(version: 8), head(503, ["Retry-After": "9"]), .ask(there, after: .seconds(9))),
        (.draft(version: 8), head(409), .ask(there, after: .seconds(1))),
        (.draft(version: 8), head(423), .ask(there, after: .seconds(1))),
        (.draft(version: 8), head(404), .create), (.draft(version: 8), head(410), .create),
        (.tus, head(204, ["Upload-Offset": "100"]), .deliver(isOver: true)),
        (.tus, head(204, ["Upload-Offset": "70"]), .append(there, from: 70, count: 30)),
        (.tus, head(204, ["Upload-Offset": "101"]), .fail(.isBeyondEnd(101))),
        (.tus, head(204, ["Upload-Offset": "49"]), .fail(.isBehind(49))),
        (.tus, head(204, ["Upload-Offset": "50"]), .ask(there, after: .zero)),
        (.tus, head(204), .ask(there, after: .zero)),
        (.tus, head(409), .ask(there, after: .seconds(1))), (.tus, head(423), .ask(there, after: .seconds(1))),
        (.tus, head(413), .deliver(isOver: true)), (.tus, head(404), .create),
    ]

    @Test(arguments: appended.indices)
    func `takes each response for what it is`(index: Int) {
        let (dialect, head, step) = Self.appended[index]
        var machine = Self.lost(dialect)
        Self.expect(
            machine.asked(Self.response(204, ["Upload-Offset": "50"])), .append(Self.there, from: 50, count: 50))
        Self.expect(machine.appended(.response(head), count: 50), step)
    }

    @Test func `delivers the response of a server that failed when it had all`() {
        var machine = UploadMachine(.draft(version: 8), length: 100, isIdempotent: false)
        Self.expect(machine.announced(Self.announcement(), from: Self.here), true)
        Self.expect(machine.created(Self.response(500), from: Self.here, count: 100), .ask(Self.there, after: .zero))
        let complete = Self.response(204, ["Upload-Offset": "100", "Upload-Complete": "?1"])
        Self.expect(machine.asked(complete), .deliverEarlier)
    }

    @Test(arguments: [200, 201, 400, 404, 302])
    func `is over with any other response to the request itself`(status: Int) {
        var machine = UploadMachine(.draft(version: 8), length: 100, isIdempotent: false)
        Self.expect(machine.announced(Self.announcement(), from: Self.here), true)
        Self.expect(machine.created(Self.response(status), from: Self.here, count: 100), .deliver(isOver: true))
    }

    @Test func `a response that failed is forgotten when the upload goes on after it`() {
        var machine = Self.lost()
        Self.expect(
            machine.asked(Self.response(204, ["Upload-Offset": "50", "Upload-Complete": "?0"])),
            .append(Self.there, from: 50, count: 50))
        Self.expect(machine.appended(Self.response(500), count: 50), .ask(Self.there, after: .zero))
        Self.expect(
            machine.asked(Self.response(204, ["Upload-Offset": "60", "Upload-Complete": "?0"])),
            .append(Self.there, from: 60, count: 40))
        Self.expect(machine.appended(.lost, count: 40), .ask(Self.there, after: .zero))
        Self.expect(
            machine.asked(Self.response(204, ["Upload-Offset": "100", "Upload-Complete": "?1"])),
            .deliver(isOver: true))
    }

    // MARK: - Creating with tus

    @Test func `wants to be told where it is`() {
        for fields in [[:], ["Location": ""], ["Location": "http://a.example/1"]] as [HTTPFields] {
            var machine = UploadMachine(.tus, length: 100, isIdempotent: false)
            Self.expect(machine.created(Self.response(201, fields), from: Self.here, count: 0), .fail(.hasNoLocation))
        }
        var refused = UploadMachine(.tus, length: 100, isIdempotent: false)
        Self.expect(refused.created(Self.response(413), from: Self.here, count: 0), .deliver(isOver: true))
        var lost = UploadMachine(.tus, length: 100, isIdempotent: false)
        Self.expect(lost.created(.lost, from: Self.here, count: 40), .deliver(isOver: true))
    }

    @Test func `a creation in tus is repeated only without content, and so often`() {
        for outcome in [UploadMachine.Outcome.lost, Self.response(503), Self.response(429)] {
            var machine = UploadMachine(.tus, length: 100, isIdempotent: false)
            var delays: [Duration] = []
            var step = machine.created(outcome, from: Self.here, count: 0)
            while case .createAgain(let delay) = step {
                delays.append(delay)
                step = machine.created(outcome, from: Self.here, count: 0)
            }
            #expect(step == .deliver(isOver: true))
            #expect(delays.dropFirst() == UploadPatience.delays.dropFirst())
        }
        for status in [400, 401, 404, 409, 413, 423, 501] {
            var machine = UploadMachine(.tus, length: 100, isIdempotent: false)
            Self.expect(machine.created(Self.response(status), from: Self.here, count: 0), .deliver(isOver: true))
        }
        var patient = UploadMachine(.tus, length: 100, isIdempotent: false)
        let later = Self.response(503, ["Retry-After": "601"])
        Self.expect(patient.created(later, from: Self.here, count: 0), .deliver(isOver: true))
    }

    // MARK: - Offers that are refused

    /// Which versions are offered one after the other, `nil` for none, to a server that refuses each of them.
    private static func offers(
        from version: Int, refusing outcome: UploadMachine.Outcome, headers: HTTPFields = [:]
    ) -> [Int?] {
        var machine = UploadMachine(.draft(version: version), length: 100, isIdempotent: false, headers: headers)
        var (offers, step): ([Int?], UploadMachine.Step) = ([], machine.first)
        while step == .create {
            if machine.isOffered, case .draft(let version) = machine.dialect {
                offers.append(version)
            } else {
                offers.append(nil)
            }
            _ = machine.sent(100)
            step = machine.created(outcome, from: Self.here, count: 100)
        }
        #expect(step == .deliver(isOver: true))
        return offers
    }

    @Test(arguments: [400, 412, 417, 501])
    func `a refused offer is followed by another version and by none, once each`(status: Int) {
        let next: [Int: [Int?]] = [3: [], 4: [], 5: [], 6: [], 7: [6], 8: [6]]
        for (version, others) in next {
            #expect(Self.offers(from: version, refusing: Self.response(status)) == [version] + others + [nil])
        }
    }

    @Test(
        arguments: [
            ("6", [8, 6, nil]), ("3", [8, 3, nil]), ("9", [8, 6, nil]), ("x", [8, 6, nil]), ("8", [8, nil]),
        ] as [(String, [Int?])])
    func `the version that a server names is offered next, if it is known`(named: String, expected: [Int?]) {
        let outcome = Self.response(400, ["Upload-Draft-Interop-Version": named])
        #expect(Self.offers(from: 8, refusing: outcome) == expected)
    }

    @Test(arguments: [
        300, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 413, 414, 415, 421, 422, 423, 424, 425, 426, 428,
        429, 431, 451, 500, 502, 503, 504,
    ])
    func `a status with another reason is the response to the request`(status: Int) {
        #expect(Self.offers(from: 8, refusing: Self.response(status)) == [8])
    }

    @Test func `a condition that failed is the response, unless the server takes the request for one of tus`() {
        for name in ["If-Match", "if-none-match", "If-Unmodified-Since"] {
            let headers: HTTPFields = [name: "\"a\""]
            #expect(Self.offers(from: 8, refusing: Self.response(412), headers: headers) == [8])
            let ofTus = Self.response(412, ["Tus-Resumable": "1.0.0"])
            #expect(Self.offers(from: 8, refusing: ofTus, headers: headers) == [8, 6, nil])
        }
        #expect(Self.offers(from: 8, refusing: Self.response(417), headers: ["Expect": "100-continue"]) == [8])
    }

    @Test(arguments: [400, 412, 417])
    func `a server that has accepted the offer means the request with what it says`(status: Int) {
        var machine = UploadMachine(.draft(version: 8), length: 100, isIdempotent: false)
        Self.expect(machine.announced(Self.announcement(), from: Self.here), true)
        Self.expect(machine.created(Self.response(status), from: Self.here, count: 100), .deliver(isOver: true))
    }

    @Test func `a place that is named without an offer is not used`() {
        var machine = UploadMachine(.draft(version: 6), length: 100, isIdempotent: false)
        Self.expect(machine.created(Self.response(400), from: Self.here, count: 100), .create)
        #expect(!machine.isOffered)
        Self.expect(machine.announced(Self.announcement(), from: Self.here, in: 2), false)
        let other = Self.response(201, ["Location": "/made/1", "Upload-Complete": "?0", "Upload-Offset": "9"])
        Self.expect(machine.created(other, from: Self.here, count: 100), .deliver(isOver: true))
        #expect(machine.location == nil)
    }

    @Test(arguments: ["https://mallory:x@a.example/uploads/1", "//mallory@a.example/uploads/1"])
    func `is where the server says, and not as the one whom the server names`(location: String) {
        var machine = UploadMachine(.tus, length: 100, isIdempotent: false)
        let step = machine.created(Self.response(201, ["Location": location]), from: Self.here, count: 0)
        Self.expect(step, .append(Self.there, from: 0, count: 100))
    }

    @Test func `has what went with the creation, and no more`() {
        for (offset, step) in [
            ("40", UploadMachine.Step.append(Self.there, from: 40, count: 60)), ("41", .fail(.isBeyondEnd(41))),
        ] {
            var machine = UploadMachine(.tus, length: 100, isIdempotent: false)
            let fields: HTTPFields = ["Location": "/uploads/1", "Upload-Offset": offset]
            Self.expect(machine.created(Self.response(201, fields), from: Self.here, count: 40), step)
        }
        var empty = UploadMachine(.tus, length: 0, isIdempotent: false)
        let fields: HTTPFields = ["Location": "/uploads/1"]
        Self.expect(empty.created(Self.response(201, fields), from: Self.here, count: 0), .deliver(isOver: true))
    }

    @Test func `goes in chunks`() {
        var machine = Self.lost(.tus, after: 10, chunkSize: 40)
        var step = machine.asked(Self.response(200, ["Upload-Offset": "10"]))
        for end in [50, 90, 100] as [Int64] {
            let count = min(40, end - (end == 100 ? 90 : end - 40))
            #expect(step == .append(Self.there, from: end - count, count: count))
            step = machine.appended(Self.response(204, ["Upload-Offset": "\(end)"]), count: count)
        }
        #expect(step == .deliver(isOver: true))
    }

    // MARK: - When nothing is gained

    @Test func `waits longer each time, and gives up`() {
        var machine = Self.lost()
        let question = Self.response(204, ["Upload-Offset": "50"])
        var delays: [Duration] = []
        var step = machine.asked(question)
        while case .append = step {
            step = machine.appended(.lost, count: 50)
            guard case .ask(_, let delay) = step else { break }
            delays.append(delay)
            step = machine.asked(question)
        }
        #expect(delays == UploadPatience.delays)
        #expect(step == .deliver(isOver: false))
    }

    @Test func `begins to count again with each byte that is gained`() {
        var machine = Self.lost()
        for offset in 1...90 {
            let step = machine.asked(Self.response(204, ["Upload-Offset": "\(offset)"]))
            #expect(step == .append(Self.there, from: Int64(offset), count: Int64(100 - offset)))
            Self.expect(machine.appended(.lost, count: nil), .ask(Self.there, after: .zero))
            Self.expect(machine.asked(.lost), .ask(Self.there, after: .seconds(1)))
        }
    }

    // MARK: - Random servers

    @Test(arguments: TestEffort.schedules)
    func `never sends content that is not where the server is, and ends`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let isTus = Bool.random(using: &random)
        var machine = UploadMachine(
            isTus ? .tus : .draft(version: 8), length: 100, isIdempotent: Bool.random(using: &random),
            chunkSize: Bool.random(using: &random) ? Int64.random(in: 1...60, using: &random) : nil)
        // What the server has: it takes a part of what is sent, and tells the truth.
        var (has, isThere, creations, steps) = (Int64(0), false, 0, 0)
        var step = machine.first
        loop: while steps < 10_000 {
            steps += 1
            switch step {
            case .createAgain: step = .create
            case .create where isTus && Int.random(in: 0..<4, using: &random) == 0:
                step = machine.created(.lost, from: Self.here, count: 0)
            case .create:
                (has, isThere, creations) = (0, true, creations + 1)
                if !isTus { _ = machine.announced(Self.announcement(), from: Self.here) }
                if !isTus { has = Int64.random(in: 0...100, using: &random) }
                _ = machine.sent(has)
                step = machine.created(
                    isTus ? Self.response(201, ["Location": "/uploads/1"]) : .lost, from: Self.here,
                    count: isTus ? 0 : 100)
            case .ask:
                if has < 100, Int.random(in: 0..<20, using: &random) == 0 { isThere = false }
                let fields: HTTPFields = ["Upload-Offset": "\(has)", "Upload-Complete": "?0"]
                switch Int.random(in: 0..<4, using: &random) {
                case 0: step = machine.asked(.lost)
                case 1: step = machine.asked(Self.response(423))
                default: step = machine.asked(isThere ? Self.response(204, fields) : Self.response(404))
                }
            case .append(_, let offset, let count):
                #expect(offset == has)
                let taken = Int64.random(in: 0...(count ?? 0), using: &random)
                has += taken
                _ = machine.sent(taken)
                let isLost = Bool.random(using: &random) || taken < count ?? 0
                step = machine.appended(
                    isLost ? .lost : Self.response(204, ["Upload-Offset": "\(has)"]), count: count)
            case .deliver, .deliverEarlier, .fail: break loop
            }
        }
        #expect(steps < 10_000)
        #expect(creations <= 2)
    }

    @Test func `an upload begun anew goes by the offset of the server, though that is less`() {
        var machine = Self.lost(isIdempotent: true)
        Self.expect(
            machine.asked(Self.response(204, ["Upload-Offset": "50"])), .append(Self.there, from: 50, count: 50))
        Self.expect(machine.appended(.lost, count: 50), .ask(Self.there, after: .zero))
        Self.expect(machine.asked(Self.response(404)), .create)
        Self.expect(machine.announced(Self.announcement("8", "/uploads/2"), from: Self.here, in: 2), true)
        _ = machine.created(.lost, from: Self.here, count: 100)
        let step = machine.asked(Self.response(204, ["Upload-Offset": "10"]))
        #expect(step == .append(HTTPURL.fixture("https://a.example/uploads/2"), from: 10, count: 90))
    }
}

extension HTTPURL {
    static func fixture(_ text: String) -> HTTPURL {
        guard let url = try? HTTPURL(parsing: text) else { fatalError(text) }
        return url
    }
}
