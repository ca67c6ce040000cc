#if canImport(CErrandCurl)
    /// The trace of an HTTP/2 request, from which libcurl's unreported information about unprocessed requests is read.
    ///
    /// Only lines that all versions write, in one form or another, are read.
    struct CurlStreamTrace {
        /// A line of the trace.
        enum Line: Equatable {
            /// The request was sent as a stream with this number (RFC 9113 §5.1.1).
            case opened(Int)
            /// The server processes no stream above this one (RFC 9113 §6.8).
            case goAway(lastStream: Int)
            /// The server has not processed the stream (RFC 9113 §8.7).
            case refused
            /// libcurl abandons the connection, and repeats the request.
            case retrying
            /// libcurl repeats the request because the server processes it only over HTTP/1.1 (RFC 9113 §7).
            case downgrading

            init?(_ text: UnsafeRawBufferPointer) {
                guard let first = unsafe text.first, "U[rRHCD".utf8.contains(first) else { return nil }
                let line = unsafe String(decoding: text, as: UTF8.self)
                if let stream = line.number(after: "Using Stream ID: ") ?? line.number(after: "[HTTP/2] [", "] OPENED")
                {
                    self = .opened(stream)
                } else if line.hasPrefix("recveived GOAWAY") || line.hasPrefix("received GOAWAY") {
                    guard let start = line.firstRange(of: "last_stream="),
                        let last = String(line[start.lowerBound...]).number(after: "last_stream=")
                    else { return nil }
                    self = .goAway(lastStream: last)
                } else if line.hasPrefix("REFUSED_STREAM") || line.number(after: "HTTP/2 stream ", " refused") != nil {
                    self = .refused
                } else if line.hasPrefix("Connection died") {
                    self = .retrying
                } else if line.hasPrefix("Downgrades to HTTP/1.1") {
                    self = .downgrading
                } else {
                    return nil
                }
            }
        }

        /// The number of the request's stream.
        private(set) var stream: Int?
        private var isRefused = false

        mutating func take(_ line: Line) {
            switch line {
            case .opened(let stream): self.stream = stream
            case .refused: self.isRefused = true
            case .goAway, .retrying, .downgrading: break
            }
        }

        /// Returns true if the server announced that it did not process the request.
        func isUnprocessed(on connection: CurlConnection?) -> Bool {
            if self.isRefused { return true }
            guard let stream, let last = connection?.lastStream else { return false }
            return stream > last
        }
    }

    extension String {
        /// Returns the number between two texts, the first of which is a prefix; `nil` if there is none.
        fileprivate func number(after start: String, _ end: String = "") -> Int? {
            guard self.hasPrefix(start) else { return nil }
            let digits = self.dropFirst(start.count).prefix { ("0"..."9").contains($0) }
            return self[digits.endIndex...].hasPrefix(end) ? Int(digits) : nil
        }
    }
#endif
