/// A header field that sends servers the remaining time of a request (the total timeout).
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/") {
///     $0.options = .timeout(total: .seconds(10)).deadlineHeader(.milliseconds("X-Request-Timeout-Ms"))
/// }
/// ```
///
/// It is added to each attempt, with the time remaining at that moment, unless the request already has the field. A
/// request without a total timeout does not get it.
public struct DeadlineHeader: Sendable, Hashable {
    private enum Form: Sendable, Hashable {
        case seconds, milliseconds, grpc
    }

    let name: String
    private let form: Form

    private init(_ name: String, _ form: Form) {
        self.name = name
        self.form = form
    }

    /// Seconds, with up to three decimals: `X-Request-Timeout: 4.25`.
    public static func seconds(_ name: String = "X-Request-Timeout") -> DeadlineHeader {
        DeadlineHeader(name, .seconds)
    }

    /// Whole milliseconds: `X-Request-Timeout-Ms: 4250`.
    public static func milliseconds(_ name: String) -> DeadlineHeader { DeadlineHeader(name, .milliseconds) }

    /// The format of gRPC, up to eight digits and a unit: `grpc-timeout: 4250m`.
    public static let grpc = DeadlineHeader("grpc-timeout", .grpc)

    /// Returns the value for the remaining time, rounded down so that it is never exceeded.
    func value(for left: Duration) -> String {
        let (seconds, attoseconds) = min(max(.zero, left), .seconds(1 << 40)).components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        switch self.form {
        case .milliseconds: return "\(milliseconds)"
        case .seconds:
            let thousandths = milliseconds % 1_000
            guard thousandths > 0 else { return "\(milliseconds / 1_000)" }
            let digits = "\(thousandths)"
            var decimals = String(repeating: "0", count: 3 - digits.utf8.count) + digits
            while decimals.hasSuffix("0") { decimals.removeLast() }
            return "\(milliseconds / 1_000).\(decimals)"
        case .grpc:
            for (unit, length) in [("m", Int64(1)), ("S", 1_000), ("M", 60_000), ("H", 3_600_000)]
            where milliseconds / length < 100_000_000 {
                return "\(milliseconds / length)\(unit)"
            }
            return "99999999H"
        }
    }
}
