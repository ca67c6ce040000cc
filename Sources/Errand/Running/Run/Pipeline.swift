/// The stages of requests with the same options, in order: compiled once for the options of a client.
final class Pipeline: Sendable {
    /// A kind of request: those of one kind go through the same stages.
    struct Kind: OptionSet {
        let rawValue: Int

        /// It changes nothing on the server, so that equal ones can share a response.
        static let isSafe = Kind(rawValue: 1)
        /// It may be sent twice at once.
        static let mayBeSentTwice = Kind(rawValue: 2)
        /// It is an upload that looks after itself.
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
    /// `true` if requests have a task of their own for one of the stages.
    let mayWait: Bool
    /// `true` if stages may have several calls of the wire under way: each is by itself then, and says where it led.
    let sendsApart: Bool
    /// `true` if there are interceptors, which may leave calls behind without waiting for them.
    let hasInterceptors: Bool

    init(_ stages: [any Stage], sendsApart: Bool, hasInterceptors: Bool) {
        self.stages = stages
        self.mayWait = stages.contains(where: \.mayWait)
        self.sendsApart = sendsApart
        self.hasInterceptors = hasInterceptors
    }
}

extension HTTPRequest {
    /// Whether it may be sent twice at once.
    var mayBeSentTwice: Bool { self.method.isIdempotent && self.body.isRepeatable }
}

extension EffectiveOptions {
    /// Whether a request is an upload that is resumed: it sends content, or creates what may be empty.
    func resumesUpload(_ request: HTTPRequest) -> Bool {
        guard self.uploadResumption.kind != .never, !request.method.isSafe else { return false }
        if case .none = request.body { return request.method == .post }
        return true
    }
}
