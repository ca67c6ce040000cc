public import class Foundation.JSONEncoder

extension ParameterEncoding {
    /// The style of JSON for writing.
    public struct JSONStyle: Sendable {
        /// The format of member names.
        public enum Keys: Sendable, Hashable {
            /// Unchanged.
            case given
            /// `nickName` as `nick_name`.
            case snakeCase
        }

        /// A Boolean value that indicates whether members are sorted by name, so that equal values make equal bytes and
        /// cached responses are found again.
        public var sortsKeys: Bool
        /// The format of member names.
        public var keys: Keys
        /// The format of dates; `nil` uses that of `Date`: seconds since the beginning of 2001.
        public var dates: ParameterEncoding.DateStyle?
        /// The treatment of numbers that are not finite.
        public var nonFiniteNumbers: ParameterEncoding.NonFiniteNumbers

        /// Creates a style.
        public init(
            sortsKeys: Bool = true, keys: Keys = .given, dates: ParameterEncoding.DateStyle? = .iso8601,
            nonFiniteNumbers: ParameterEncoding.NonFiniteNumbers = .fail
        ) {
            self.sortsKeys = sortsKeys
            self.keys = keys
            self.dates = dates
            self.nonFiniteNumbers = nonFiniteNumbers
        }

        /// Sorted members, dates in the format of RFC 3339, and Foundation's defaults otherwise.
        public static let standard = ParameterEncoding.JSONStyle()

        /// Makes an encoder of this style.
        public func makeEncoder() -> JSONEncoder {
            let encoder = JSONEncoder()
            encoder.outputFormatting =
                self.sortsKeys ? [.sortedKeys, .withoutEscapingSlashes] : .withoutEscapingSlashes
            if self.keys == .snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
            if let dates = self.dates {
                encoder.dateEncodingStrategy = .custom { date, encoder in try dates.value(of: date).encode(to: encoder)
                }
            }
            if case .texts(let positive, let negative, let nan) = self.nonFiniteNumbers {
                encoder.nonConformingFloatEncodingStrategy = .convertToString(
                    positiveInfinity: positive, negativeInfinity: negative, nan: nan)
            }
            return encoder
        }
    }
}
