/// The effective timeouts of a request; see ``RequestOptions``.
package struct Timeouts: Sendable, Hashable {
    package var connect: Duration?
    package var firstByte: Duration?
    package var idle: Duration?
    package var attempt: Duration?
    package var authentication: Duration?
    package var total: Duration?

    package init(
        connect: Duration? = nil, firstByte: Duration? = nil, idle: Duration? = nil, attempt: Duration? = nil,
        authentication: Duration? = .seconds(60), total: Duration? = nil
    ) {
        self.connect = connect
        self.firstByte = firstByte
        self.idle = idle
        self.attempt = attempt
        self.authentication = authentication
        self.total = total
    }

    /// The default timeouts of a client.
    ///
    /// They limit neither the size of a body nor the duration of a stream, as long as bytes arrive.
    package static let standard = Timeouts(connect: .seconds(30), idle: .seconds(60))

    /// No timeouts.
    package static let unlimited = Timeouts(authentication: nil)

    package subscript(timeout: RequestOptions.Timeout) -> Duration? {
        get {
            switch timeout {
            case .connect: self.connect
            case .firstByte: self.firstByte
            case .idle: self.idle
            case .attempt: self.attempt
            case .authentication: self.authentication
            case .total: self.total
            }
        }
        set {
            switch timeout {
            case .connect: self.connect = newValue
            case .firstByte: self.firstByte = newValue
            case .idle: self.idle = newValue
            case .attempt: self.attempt = newValue
            case .authentication: self.authentication = newValue
            case .total: self.total = newValue
            }
        }
    }

    /// The error for invalid timeouts; `nil` if they are valid.
    var problem: ErrandError? {
        for timeout in RequestOptions.Timeout.allCases {
            guard let limit = self[timeout], limit <= .zero else { continue }
            return ErrandError.setting("timeout(\(timeout):)", limit, isPossible: false, "longer than zero")
        }
        return nil
    }
}
