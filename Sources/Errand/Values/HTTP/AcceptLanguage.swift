internal import Foundation

/// Makes the value of `Accept-Language` from the user's preferred languages (RFC 9110 §12.5.4).
package enum AcceptLanguage {
    /// The maximum number of languages.
    private static let limit = 6

    /// The value for this machine, or `nil` without preferred languages.
    static let ofPlatform = Self.value(
        of: Platform.preferredLanguages ?? Self.languages(in: ProcessInfo.processInfo.environment))

    /// Returns the languages in environment variables, best first, as language tags (RFC 5646).
    ///
    /// `LANGUAGE` is a list and comes first, unless the locale (the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is
    /// set) is `C` or `POSIX`.
    ///
    /// - Parameter environment: The variables of a process.
    /// - Returns: The tags; empty if the locale is `C` or `POSIX`.
    package static func languages(in environment: [String: String]) -> [String] {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        if let locale, Self.tag(locale) == nil { return [] }
        let list = (environment["LANGUAGE"] ?? "").parts(at: ":")
        return (list + [locale].compactMap(\.self)).compactMap(Self.tag)
    }

    /// Joins language tags with decreasing quality values; `nil` without tags.
    package static func value(of languages: [String]) -> String? {
        var distinct: [String] = []
        for language in languages where !distinct.contains(language) { distinct.append(language) }
        let items = distinct.prefix(Self.limit).enumerated().map { place, language in
            place == 0 ? "\(language);q=1" : "\(language);q=0.\(10 - place)"
        }
        return items.isEmpty ? nil : items.joined(separator: ", ")
    }

    /// Returns the language tag of a locale such as `de_DE.UTF-8@euro`; `nil` for `C`, `POSIX` and invalid locales.
    private static func tag(_ locale: String) -> String? {
        let name = locale.part(before: ".", "@")
        guard name != "C", name != "POSIX" else { return nil }
        let parts = name.split(omittingEmptySubsequences: false) { $0 == "_" || $0 == "-" }
        guard let language = parts.first, 2...8 ~= language.utf8.count, language.utf8.allSatisfy(\.isASCIILetter),
            parts.dropFirst().allSatisfy({ 1...8 ~= $0.utf8.count && $0.utf8.allSatisfy(\.isASCIIAlphanumeric) })
        else { return nil }
        return parts.joined(separator: "-")
    }
}

extension UInt8 {
    fileprivate var isASCIIAlphanumeric: Bool { self.isASCIILetter || self.isASCIIDigit }
}
