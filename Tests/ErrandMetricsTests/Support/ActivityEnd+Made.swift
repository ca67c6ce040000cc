internal import Errand

extension Activity.End {
    /// An end as no request ever had.
    static func made(
        _ result: Result = .finished, status: HTTPStatus = 200, size: Int? = nil, attempts: Int = 1,
        _ timings: Timings = Timings()
    ) -> Activity.End {
        Activity.End(
            result: result, head: HTTPResponseHead(status: status), bodySize: size, body: nil, attempts: attempts,
            timings: timings, trace: nil
        )
    }
}
