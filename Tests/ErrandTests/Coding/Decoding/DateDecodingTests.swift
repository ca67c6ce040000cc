internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

/// Dates have one form by default wherever they are sent and read: that of RFC 3339.
@Suite(.timeLimit(.minutes(60)), .paced)
struct DateDecodingTests {
    private struct Event: Codable, Equatable {
        var at: Date
    }

    private func event(_ value: String) throws -> Event {
        let response = HTTPResponse(status: 200, body: Data(#"{"at":\#(value)}"#.utf8))
        return try ResponseDecoder<Event>.json.decode(response)
    }

    @Test(arguments: [
        ("2026-01-31T09:30:00Z", 1_769_851_800),
        ("2026-01-31T09:30:00.25Z", 1_769_851_800.25),
        ("2026-01-31T09:30:00.250000Z", 1_769_851_800.25),
        ("2026-01-31T10:30:00+01:00", 1_769_851_800),
        ("2026-01-30T23:45:00.5-09:45", 1_769_851_800.5),
        ("2026-01-31T09:30:00-00:00", 1_769_851_800),
        ("2026-01-31t09:30:00z", 1_769_851_800),
        ("2026-01-31 09:30:00Z", 1_769_851_800),
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.75Z", -0.25),
        ("2000-02-29T00:00:00Z", 951_782_400),
        ("2016-12-31T23:59:60Z", 1_483_228_800),
        ("9999-12-31T23:59:59Z", 253_402_300_799),
        ("0001-01-01T00:00:00Z", -62_135_596_800),
    ])
    func `a date is read with and without a fraction, at any offset`(text: String, seconds: Double) throws {
        #expect(try self.event("\"\(text)\"").at == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        "\"\"", "\"soon\"", "\"2026-01-31\"", "\"2026-01-31T09:30Z\"", "\"2026-01-31T09:30:00\"",
        "\"2026-01-31T09:30:00.Z\"", "\"2026-01-31T09:30:00Z \"", "\"2026-02-29T09:30:00Z\"",
        "\"2026-13-01T09:30:00Z\"", "\"2026-00-01T09:30:00Z\"", "\"2026-01-00T09:30:00Z\"",
        "\"2026-01-31T24:00:00Z\"", "\"2026-01-31T09:60:00Z\"", "\"2026-01-31T09:30:61Z\"",
        "\"2026-01-31T09:30:00+0100\"", "\"2026-01-31T09:30:00+24:00\"", "\"+026-01-31T09:30:00Z\"",
        "\"2026-01-31T09:30:00.\u{661}Z\"", "791544600.25", "true", "[]",
    ])
    func `what is no date of RFC 3339 is an error that says so, and where`(value: String) {
        let error = #expect(throws: ErrandError.self) { try self.event(value) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains("at") == true && error?.message.contains("RFC 3339") == true)
    }

    @Test(arguments: [-62_135_596_800, -12_219_292_801, -1, 0, 1_769_851_800, 253_402_300_799] as [Double])
    func `what a body has written is read again as it was`(seconds: Double) throws {
        let event = Event(at: Date(timeIntervalSince1970: seconds))
        let encoded = try #require(try RequestBody.json(event).encoded())
        guard case .bytes(let data) = encoded.body else {
            Issue.record("no bytes")
            return
        }
        #expect(try ResponseDecoder<Event>.json.decode(HTTPResponse(status: 200, body: data)) == event)
    }

    @Test func `every day of a century is written and read as Foundation does`() {
        for day in 0..<36_525 {
            let date = Date(timeIntervalSince1970: Double(day - 10_000) * 86_400 + 86_399.75)
            let text = date.formatted(.iso8601)
            guard InternetDate.text(of: date) == text, InternetDate.parse(text) == date - 0.75 else {
                Issue.record("\(text) is written or read as another day")
                return
            }
        }
    }

    @Test func `days of all years are read as they were written`() {
        for day in stride(from: -719_162, to: 2_932_897, by: TestEffort.isFull ? 7 : 97) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            guard InternetDate.parse(InternetDate.text(of: date)) != date else { continue }
            Issue.record("\(InternetDate.text(of: date)) is read as another day")
            return
        }
    }

    @Test func `a body, a form and a query spell a date alike`() throws {
        let moment = Date(timeIntervalSince1970: 1_769_851_800)
        func text(_ body: RequestBody) throws -> String {
            guard case .bytes(let data)? = try body.encoded()?.body else { return "" }
            return String(decoding: data, as: UTF8.self)
        }
        #expect(try text(.json(["at": moment])) == #"{"at":"2026-01-31T09:30:00Z"}"#)
        #expect(try text(.json(["at": .date(moment), "b": nil])) == #"{"at":"2026-01-31T09:30:00Z","b":null}"#)
        #expect(try text(.form(["at": .date(moment)])) == "at=2026-01-31T09%3A30%3A00Z")
        #expect(try (["at": .date(moment)] as Parameters).query() == "at=2026-01-31T09%3A30%3A00Z")
    }

    // MARK: - Other decoders

    @Test func `a decoder of one's own keeps its strategy, and can have this one`() throws {
        let response = HTTPResponse(status: 200, body: Data(#"{"at":0}"#.utf8))
        let own = try ResponseDecoder<Event>.json(JSONDecoder()).decode(response)
        #expect(own.at == Date(timeIntervalSinceReferenceDate: 0))

        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .rfc3339
        #expect(throws: ErrandError.self) { try ResponseDecoder<Event>.json(decoder).decode(response) }
    }

    @Test func `what a server says about a failure has its dates in the same form`() throws {
        var error = ErrandError(.unacceptableStatus, "no")
        error.context.body = Data(#"{"at":"1970-01-01T00:00:10Z"}"#.utf8)
        #expect(try error.decode(Event.self).at == Date(timeIntervalSince1970: 10))
    }
}
