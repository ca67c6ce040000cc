extension ErrandError {
    /// Creates the error for a streamed request body that exceeds its length.
    static func bodyLonger(than length: Int64) -> ErrandError {
        ErrandError(.encodingFailed, "the stream of the request body is longer than its length of \(length) bytes")
    }

    /// Creates the error for a streamed request body that ends before its length.
    static func bodyShorter(than length: Int64) -> ErrandError {
        ErrandError(.encodingFailed, "the stream of the request body is shorter than its length of \(length) bytes")
    }
}
