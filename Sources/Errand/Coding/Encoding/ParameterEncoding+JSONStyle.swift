public import class Foundation.JSONEncoder

extension ParameterEncoding {
    /// How values become JSON.
    public struct JSONStyle: Sendable {
        /// How the names of members are spelt.
        public enum Keys: Sendable, Hashable {
            /// As they are.
            case given
            /// `nickName` as `nick_name`.
            case snakeCase
        }

        /// Whether members are sorted by name, so that equal values make equal bytes, and cached answers are found again.
        public var sortsKeys: Bool
        /// How the names of members are spelt.
        public var keys: Keys
        /// How moments are spelt; `nil` leaves it to `Date`, which makes seconds since the beginning of 2001.
        public var dates: ParameterEncoding.DateStyle?
        /// What becomes of numbers that are not finite.
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
