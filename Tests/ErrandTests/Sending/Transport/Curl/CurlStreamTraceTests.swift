#if canImport(CErrandCurl)
    internal import Foundation
    internal import TestEffort
    internal import Testing

    @testable internal import Errand

    @Suite("What libcurl traces of streams", .timeLimit(.minutes(60)), .paced)
    struct CurlStreamTraceTests {
        private func line(_ text: String) -> CurlStreamTrace.Line? {
            unsafe Array(text.utf8).withUnsafeBytes { unsafe CurlStreamTrace.Line($0) }
        }

        @Test(
            arguments: [
                ("Using Stream ID: 2003 (easy handle 0x55c848808bc0)\n", .opened(2003)),
                ("[HTTP/2] [5] OPENED stream for https://a.test/\n", .opened(5)),
                ("recveived GOAWAY, error=0, last_stream=1999\n", .goAway(lastStream: 1999)),
                ("received GOAWAY, error=2, last_stream=0", .goAway(lastStream: 0)),
                ("REFUSED_STREAM, retrying a fresh connect\n", .refused),
                ("HTTP/2 stream 7 refused by server, try again on a new connection\n", .refused),
                ("Connection died, retrying a fresh connect (retry count: 1)\n", .retrying),
                ("Downgrades to HTTP/1.1\n", .downgrading),
            ] as [(String, CurlStreamTrace.Line)])
        func `a line is read as all versions write it`(text: String, line: CurlStreamTrace.Line) {
            #expect(self.line(text) == line)
        }

        @Test(arguments: [
            "", "Using Stream ID: ", "[HTTP/2] [1] [x: ] OPENED stream]", "[HTTP/2] [1] [:method: POST]",
            "received GOAWAY, error=0", "received GOAWAY, error=0, last_stream=", "GOAWAY, error=0, last_stream=3",
            "HTTP/2 stream 7 was not closed cleanly: INTERNAL_ERROR (err 2)", "Using Stream ID: 99999999999999999999",
            "Closing connection 0", "Re-using existing connection #0 with host a.test",
        ])
        func `another line says nothing`(text: String) {
            #expect(self.line(text) == nil)
        }

        @Test(
            arguments: [(1, nil, false), (1, 0, true), (1, 1, false), (3, 1, true), (3, 5, false), (nil, 0, false)]
                as [(Int?, Int?, Bool)])
        func `a stream was not processed if it is above the last one`(stream: Int?, last: Int?, isUnprocessed: Bool) {
            let connection = CurlConnection(-1)
            if let last {
                // A server that is about to go away says first that it takes no more.
                connection.noteGoAway(lastStream: Int(Int32.max))
                connection.noteGoAway(lastStream: last)
                connection.noteGoAway(lastStream: Int(Int32.max))
            }
            var trace = CurlStreamTrace()
            if let stream { trace.take(.opened(stream)) }
            #expect(trace.isUnprocessed(on: connection) == isUnprocessed)
            #expect(!trace.isUnprocessed(on: nil))
            trace.take(.refused)
            #expect(trace.isUnprocessed(on: connection))
        }
    }
#endif
