internal import Errand

extension RequestActivity.End {
    /// An end as no request ever had.
    static func made(
        _ result: Result = .finished, status: HTTPStatus = 200, size: Int? = nil, attempts: Int = 1,
        _ timings: ExchangeMetrics.Timings = ExchangeMetrics.Timings()
    ) -> RequestActivity.End {
        RequestActivity.End(
            result: result, head: HTTPResponse.Head(status: status), bodySize: size, body: nil, attempts: attempts,
            timings: timings, trace: nil
        )
    }
}
