internal import Foundation

#if canImport(CErrandBench)
    internal import CErrandBench
#endif

/// A server that reads and discards bodies, on a thread of its own.
final class UploadSink: Sendable {
    let url: String
    private let listener: Int32

    init() throws {
        #if canImport(CErrandBench)
            var port: UInt16 = 0
            let listener = unsafe errand_bench_sink_open(&port)
            guard listener >= 0 else { throw BenchError("no socket for uploads could be opened") }
            self.listener = listener
            self.url = "http://127.0.0.1:\(port)/"
            // Ends when the sink is stopped.
            let thread = Thread { errand_bench_sink_serve(listener) }
            thread.name = "upload sink"
            thread.start()
        #else
            throw BenchError("there is no server for uploads on this platform")
        #endif
    }

    /// Ends the thread after its current connection; called once.
    func stop() {
        #if canImport(CErrandBench)
            errand_bench_sink_stop(self.listener)
        #endif
    }
}
