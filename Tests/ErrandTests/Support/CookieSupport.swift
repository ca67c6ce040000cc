internal import Errand
internal import Foundation

/// A list of public suffixes that a test makes up.
struct FixtureSuffixes: PublicSuffixList, ExpressibleByArrayLiteral {
    let domains: [String]

    init(arrayLiteral elements: String...) {
        self.domains = elements
    }

    func contains(_ domain: String) -> Bool { !domain.contains(".") || self.domains.contains(domain) }

    /// What most tests go by.
    static let some: FixtureSuffixes = ["co.uk", "com.cn", "github.io"]
}

extension StoredCookie {
    /// The moment at which cookies of tests are received, where it does not matter.
    static let someDate = Date(timeIntervalSince1970: 1_000_000_000)

    /// Reads a cookie as if a URL had been asked, with a short list of public suffixes.
    static func received(_ text: String, from url: String, at date: Date = someDate) throws -> StoredCookie {
        try StoredCookie(parsing: text, for: HTTPURL(parsing: url), at: date, suffixes: FixtureSuffixes.some)
    }

    /// Answers why a cookie is not taken, or nothing if it is.
    static func refusal(_ text: String, from url: String) throws -> CookieRefusal? {
        let url = try HTTPURL(parsing: url)
        do {
            _ = try StoredCookie(parsing: text, for: url, at: Self.someDate, suffixes: FixtureSuffixes.some)
            return nil
        } catch {
            return error
        }
    }
}
