extension ParameterEncoding {
    /// What becomes of numbers that are infinite or not a number, which neither JSON nor most servers know.
    public enum NonFiniteNumbers: Sendable, Hashable {
        /// They fail the request with ``ErrandError/Code/encodingFailed``.
        case fail
        /// They are sent as these texts.
        case texts(positiveInfinity: String, negativeInfinity: String, nan: String)

        /// The text of a number that is not finite; `nil` where there is none.
        func text(of number: Double) -> String? {
            guard case .texts(let positive, let negative, let nan) = self else { return nil }
            if number.isNaN { return nan }
            return number > 0 ? positive : negative
        }
    }
}
