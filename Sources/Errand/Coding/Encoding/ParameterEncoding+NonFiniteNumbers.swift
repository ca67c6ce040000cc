extension ParameterEncoding {
    /// The treatment of infinite numbers and NaN, which neither JSON nor most servers support.
    public enum NonFiniteNumbers: Sendable, Hashable {
        /// They fail the request with ``ErrandError/Code/encodingFailed``.
        case fail
        /// They are sent as these texts.
        case texts(positiveInfinity: String, negativeInfinity: String, nan: String)

        /// Returns the text of a non-finite number; `nil` if there is none.
        func text(of number: Double) -> String? {
            guard case .texts(let positive, let negative, let nan) = self else { return nil }
            if number.isNaN { return nan }
            return number > 0 ? positive : negative
        }
    }
}
