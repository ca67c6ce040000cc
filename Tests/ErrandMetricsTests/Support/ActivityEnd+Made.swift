@testable internal import Errand

extension ActivityEnd {
    /// An end as no request ever had.
    static func made(
        _ result: Result = .finished, status: HTTPStatus = 200, size: Int? = nil, attempts: Int = 1,
        _ timings: Timings = Timings()
    ) -> ActivityEnd {
        ActivityEnd(
            result: result, head: HTTPResponseHead(status: status), bodySize: size, body: nil, attempts: attempts,
            timings: timings, trace: nil
        )
    }
}
