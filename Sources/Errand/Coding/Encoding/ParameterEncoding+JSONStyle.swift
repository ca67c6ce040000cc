public import class Foundation.JSONEncoder

extension ParameterEncoding {
    /// The style of JSON that is written.
    public struct JSONStyle: Sendable {
        /// The spelling of the names of members.
        public enum Keys: Sendable, Hashable {
            /// As they are.
            case given
            /// `nickName` as `nick_name`.
            case snakeCase
        }

        /// Sorts members by name, so that equal values make equal bytes and cached responses are found again.
        public var sortsKeys: Bool
        /// The spelling of the names of members.
        public var keys: Keys
        /// The spelling of dates; `nil` leaves it to `Date`: seconds since the beginning of 2001.
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

        /// Sorted members, dates as RFC 3339 spells them, and all else as Foundation does it.
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
