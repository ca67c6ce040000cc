internal import Errand
internal import Foundation

#if canImport(CErrandBench)
    internal import CErrandBench
#endif

/// The same small request through a bare loop around libcurl, with a number of requests in flight.
struct FloorLoad: Sendable {
    private let url: String
    private let width: Int
    private let size: Int

    init(_ url: String, width: Int, size: Int) {
        self.url = url
        self.width = width
        self.size = size
    }

    /// Sends the given number of requests.
    func pace(of requests: Int) async throws -> Pace {
        let ended = Waiter<Result<Pace, BenchError>>()
        // A thread, since threads of the cooperative pool must not block; ends when the requests are done.
        let thread = Thread { ended.resume(self.measure(requests)) }
        thread.start()
        // Resumed by the thread, or abandoned when the task is cancelled: without its server the loop ends by itself.
        guard let result = await ended.wait() else { throw CancellationError() }
        return try result.get()
    }

    #if canImport(CErrandBench)
        private func measure(_ requests: Int) -> Result<Pace, BenchError> {
            let result = unsafe errand_bench_floor(self.url, self.width, requests)
            if let problem = unsafe result.problem {
                return .failure(BenchError("the floor failed: \(unsafe String(cString: problem))"))
            }
            guard unsafe result.bytes == UInt64(requests * self.size) else {
                return .failure(BenchError("the floor did not get what the client gets"))
            }
            return .success(
                unsafe Pace(
                    perSecond: Double(requests) / result.seconds,
                    cpuTime: .seconds(result.cpuSeconds) / requests))
        }
    #else
        private func measure(_ requests: Int) -> Result<Pace, BenchError> {
            .failure(BenchError("there is no floor on this platform"))
        }
    #endif
}
