internal import Foundation

@testable internal import Errand

/// Heads as tables have them: fields between bars, and dates as seconds from a moment.
///
/// `Cache-Control: max-age=60 | Date: @0 | Expires: @60`.
enum HTTPCaseText {
    /// The moment that `@0` stands for: Mon, 01 Jan 2001 00:00:00 GMT, when a ``FixtureDate`` begins.
    static let epoch = Date(timeIntervalSinceReferenceDate: 0)

    static func fields(_ text: String) -> HTTPFields {
        HTTPFields(
            text.split(separator: " | ", omittingEmptySubsequences: true).map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return HTTPField(name: String(parts[0]), value: parts.count > 1 ? Self.value(String(parts[1])) : "")
            })
    }

    private static func value(_ text: String) -> String {
        let value = text.trimmingCharacters(in: .whitespaces)
        guard value.hasPrefix("@"), let seconds = Double(value.dropFirst()) else { return value }
        return Self.date(seconds)
    }

    /// A date in the form that is preferred.
    static func date(_ seconds: Double) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Self.epoch.addingTimeInterval(seconds))
    }

    static func head(_ text: String, _ status: Int = 200) -> HTTPResponse.Head {
        HTTPResponse.Head(status: HTTPStatus(rawValue: status), headers: Self.fields(text))
    }

    static func request(_ text: String = "", method: String = "GET") throws -> HTTPRequest {
        HTTPRequest(
            method: HTTPMethod(rawValue: method), url: try HTTPURL("https://api.test/a"), headers: Self.fields(text))
    }
}
