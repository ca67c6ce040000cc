/// The stages of requests with the same options, in order.
///
/// Compiled once for the options of a client.
final class Pipeline: Sendable {
    /// A kind of request.
    ///
    /// All requests of a kind go through the same stages.
    struct Kind: OptionSet {
        let rawValue: Int

        /// The method is safe, so that equal requests can share a response.
        static let isSafe = Kind(rawValue: 1)
        /// The request may be sent twice concurrently.
        static let mayBeSentTwice = Kind(rawValue: 2)
        /// The request is a resumable upload.
        static let resumesUpload = Kind(rawValue: 4)
        /// The number of kinds.
        static let count = 8

        init(rawValue: Int) {
            self.rawValue = rawValue
        }

        init(_ request: HTTPRequest, _ options: EffectiveOptions) {
            self = []
            if request.method.isSafe { self.insert(.isSafe) }
            if request.mayBeSentTwice { self.insert(.mayBeSentTwice) }
            if options.resumesUpload(request) { self.insert(.resumesUpload) }
        }
    }

    let stages: [any Stage]
    /// True if a stage requires the request to have a task of its own.
    let mayWait: Bool
    /// True if stages may have several wire calls in flight.
    ///
    /// Each is then independent and records its own origin.
    let sendsApart: Bool
    /// True if there are interceptors, which may leave calls behind without waiting for them.
    let hasInterceptors: Bool

    init(_ stages: [any Stage], sendsApart: Bool, hasInterceptors: Bool) {
        self.stages = stages
        self.mayWait = stages.contains(where: \.mayWait)
        self.sendsApart = sendsApart
        self.hasInterceptors = hasInterceptors
    }
}

extension HTTPRequest {
    /// True if the request may be sent twice concurrently.
    var mayBeSentTwice: Bool { self.method.isIdempotent && self.body.isRepeatable }
}

extension EffectiveOptions {
    /// True if a request is a resumable upload: it has content, or creates an upload that may be empty.
    func resumesUpload(_ request: HTTPRequest) -> Bool {
        guard self.uploadResumption.kind != .never, !request.method.isSafe else { return false }
        if case .none = request.body { return request.method == .post }
        return true
    }
}
