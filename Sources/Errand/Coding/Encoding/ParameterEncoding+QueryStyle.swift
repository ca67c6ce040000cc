extension ParameterEncoding {
    /// How parameters are spelt in a query or a form.
    ///
    /// The standard is AFNetworking's, byte for byte: names sorted, `a[b]` for members and `a[]` for elements, sets under
    /// one name without brackets, `1` and `0` for truth values, a name alone for null, nothing for empty containers, and
    /// all but letters, digits and `-._~/?` escaped, brackets too. It parts from it in two ways: dates are spelt as RFC
    /// 3339 says, and numbers that are not finite are refused.
    public struct QueryStyle: Sendable {
        /// How the elements of an array are named.
        public enum Arrays: Sendable, Hashable {
            /// `a[]=1&a[]=2`: elements that are objects cannot be told apart.
            case brackets
            /// `a=1&a=2`.
            case repeated
            /// `a[0]=1&a[1]=2`: the only one that keeps every tree.
            case indices
            /// `a=1,2`: each element is escaped, the commas are not. An element that is a container fails the request, null
            /// is an empty text.
            case commas
        }

        /// How truth values are spelt.
        public enum Booleans: Sendable, Hashable {
            /// `1` and `0`.
            case digits
            /// `true` and `false`.
            case words
        }

        /// In which order names come.
        public enum Order: Sendable, Hashable {
            /// By their texts, at each level; values of one name stay in their order.
            case sorted
            /// As they were given.
            case given
        }

        /// How a space is escaped.
        public enum Spaces: Sendable, Hashable {
            /// As `%20`.
            case percentEncoded
            /// As `+`, which HTML forms use; a plus sign is `%2B` in either case.
            case plus
        }

        /// How the elements of an array are named.
        public var arrays = Arrays.brackets
        /// How truth values are spelt.
        public var booleans = Booleans.digits
        /// How moments are spelt.
        public var dates = ParameterEncoding.DateStyle.iso8601
        /// What becomes of numbers that are not finite.
        public var nonFiniteNumbers = ParameterEncoding.NonFiniteNumbers.fail
        /// In which order names come.
        public var order = Order.sorted
        /// How a space is escaped.
        public var spaces = Spaces.percentEncoded
        /// What makes the query in place of all this, if anything does.
        let function: (@Sendable (Parameters) throws -> String)?

        /// Creates a style, the standard one but for what is given.
        public init(
            arrays: Arrays = .brackets, booleans: Booleans = .digits, dates: ParameterEncoding.DateStyle = .iso8601,
            nonFiniteNumbers: ParameterEncoding.NonFiniteNumbers = .fail, order: Order = .sorted,
            spaces: Spaces = .percentEncoded
        ) {
            self.arrays = arrays
            self.booleans = booleans
            self.dates = dates
            self.nonFiniteNumbers = nonFiniteNumbers
            self.order = order
            self.spaces = spaces
            self.function = nil
        }

        private init(_ function: @escaping @Sendable (Parameters) throws -> String) {
            self.function = function
        }

        /// AFNetworking's.
        public static let standard = ParameterEncoding.QueryStyle()

        /// A function makes the whole query, escaped; what it throws fails the request.
        ///
        /// What may not stand in a query is escaped all the same.
        public static func custom(
            _ query: @escaping @Sendable (Parameters) throws -> String
        ) -> ParameterEncoding.QueryStyle {
            ParameterEncoding.QueryStyle(query)
        }
    }
}
