extension ParameterEncoding {
    /// The format of parameters in a query or a form.
    ///
    /// The standard is AFNetworking's, byte for byte: names sorted, `a[b]` for members and `a[]` for elements, sets
    /// under one name without brackets, `1` and `0` for Booleans, a name alone for null, no item for empty containers,
    /// and all characters escaped except letters, digits and `-._~/?`, including brackets. It differs in two ways:
    /// dates have the format of RFC 3339, and non-finite numbers are rejected.
    public struct QueryStyle: Sendable {
        /// The names of array elements.
        public enum Arrays: Sendable, Hashable {
            /// `a[]=1&a[]=2`: elements that are objects cannot be told apart.
            case brackets
            /// `a=1&a=2`.
            case repeated
            /// `a[0]=1&a[1]=2`: the only format that preserves every tree.
            case indices
            /// `a=1,2`: each element is escaped, the commas are not.
            ///
            /// An element that is a container fails the request, and null is an empty text.
            case commas
        }

        /// The format of Booleans.
        public enum Booleans: Sendable, Hashable {
            /// `1` and `0`.
            case digits
            /// `true` and `false`.
            case words
        }

        /// The order of names.
        public enum Order: Sendable, Hashable {
            /// By their texts, at each level; values with the same name keep their order.
            case sorted
            /// In the given order.
            case given
        }

        /// The encoding of spaces.
        public enum Spaces: Sendable, Hashable {
            /// As `%20`.
            case percentEncoded
            /// As `+`, as in HTML forms; a plus sign is `%2B` in either case.
            case plus
        }

        /// The names of array elements.
        public var arrays = Arrays.brackets
        /// The format of Booleans.
        public var booleans = Booleans.digits
        /// The format of dates.
        public var dates = ParameterEncoding.DateStyle.iso8601
        /// The treatment of non-finite numbers.
        public var nonFiniteNumbers = ParameterEncoding.NonFiniteNumbers.fail
        /// The order of names.
        public var order = Order.sorted
        /// The encoding of spaces.
        public var spaces = Spaces.percentEncoded
        /// A function that makes the query instead, if any.
        let function: (@Sendable (Parameters) throws -> String)?

        /// Creates a style; values that are not given are those of the standard.
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

        /// The style of AFNetworking.
        public static let standard = ParameterEncoding.QueryStyle()

        /// Uses a function to make the whole query, escaped; an error that it throws fails the request.
        ///
        /// Characters that are invalid in a query are escaped in any case.
        public static func custom(
            _ query: @escaping @Sendable (Parameters) throws -> String
        ) -> ParameterEncoding.QueryStyle {
            ParameterEncoding.QueryStyle(query)
        }
    }
}
