internal import ErrandMachines

extension UploadMachine {
    /// The next step of an upload.
    enum Step: Sendable, Hashable {
        /// Send the request that begins the upload.
        case create
        /// Send it once more after a while: nothing came of it, and it carried no content.
        case createAgain(after: Duration)
        /// Ask the server at this place what it has, after a while.
        case ask(HTTPURL, after: Duration)
        /// Send content from an offset on to this place, so many bytes of it; `nil` for all.
        case append(HTTPURL, from: Int64, count: Int64?)
        /// What came last is what comes of the request: a response, or why there is none.
        ///
        /// `isOver` says that nothing can go on with the upload.
        case deliver(isOver: Bool)
        /// The response that came to the content is that of the request, though the server was asked afterwards.
        case deliverEarlier
        /// The server says what cannot be.
        case fail(Problem)
    }

    /// Why an upload cannot go on.
    enum Problem: Sendable, Hashable {
        /// The server has no such upload any more.
        case isGone
        /// It has none any more of which it may have had all: it is not sent twice.
        case isGoneAndMayBeComplete
        /// It created an upload, and does not say where.
        case hasNoLocation
        /// It does not say how much it has.
        case hasNoOffset
        /// It has more than there is.
        case isBeyondEnd(Int64)
        /// It has less than it had, which must not be.
        case isBehind(Int64)
        /// It expects another length.
        case hasOtherLength(Int64)
        /// It takes next to nothing with each request.
        case takesNextToNothing
    }

    /// The end of an exchange.
    enum Outcome: Sendable {
        /// Without a response, because the connection was lost or could not be made.
        case lost
        case response(HTTPResponse.Head)
    }
}

extension UploadMachine.Problem {
    /// The same as an error.
    var error: ErrandError {
        let words =
            switch self {
            case .isGone: "the server has the upload no more"
            case .isGoneAndMayBeComplete:
                "the server has the upload no more, and may have had all of it: it is not sent twice"
            case .hasNoLocation: "the server created an upload, and does not say where"
            case .hasNoOffset: "the server does not say how much of the upload it has"
            case .isBeyondEnd(let offset): "the server says that it has \(offset) bytes, more than were sent"
            case .isBehind(let offset): "the server says that it has \(offset) bytes, fewer than it had before"
            case .takesNextToNothing:
                "the server took fewer than \(TrickleCounter.least) bytes with each of more than \(UploadMachine.trickleLimit) "
                    + "requests: the upload is not gone on with"
            case .hasOtherLength(let length): "the server expects an upload of \(length) bytes, which is another one"
            }
        return ErrandError(.invalidResponse, words)
    }
}
