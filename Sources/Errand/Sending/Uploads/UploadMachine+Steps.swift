internal import ErrandMachines

extension UploadMachine {
    /// The next step of an upload.
    enum Step: Sendable, Hashable {
        /// Send the initial request.
        case create
        /// Send the initial request again after a delay: it failed, and carried no content.
        case createAgain(after: Duration)
        /// Ask the server for its offset at this URL, after a delay.
        case ask(HTTPURL, after: Duration)
        /// Send content from an offset to this URL, with this number of bytes; `nil` for all.
        case append(HTTPURL, from: Int64, count: Int64?)
        /// Deliver the last response or error as that of the request.
        ///
        /// `isOver` is true if the upload cannot be resumed.
        case deliver(isOver: Bool)
        /// Deliver the earlier response to the content, although the server was asked for its offset afterwards.
        case deliverEarlier
        /// Fail, because the server contradicts itself or the content.
        case fail(Problem)
    }

    /// The reason for which an upload cannot continue.
    enum Problem: Sendable, Hashable {
        /// The server no longer has the upload.
        case isGone
        /// The server no longer has the upload, but may have received all of it: it is not sent twice.
        case isGoneAndMayBeComplete
        /// The server created an upload without an upload URL.
        case hasNoLocation
        /// The server did not send its offset.
        case hasNoOffset
        /// The server's offset is beyond the sent content.
        case isBeyondEnd(Int64)
        /// The server's offset is lower than before.
        case isBehind(Int64)
        /// The server expects another length.
        case hasOtherLength(Int64)
        /// The server accepts almost no content with each request.
        case takesNextToNothing
    }

    /// The end of an exchange.
    enum Outcome: Sendable {
        /// No response, because the connection was lost or could not be made.
        case lost
        case response(HTTPResponse.Head)
    }
}

extension UploadMachine.Problem {
    /// The problem as an error.
    var error: ErrandError {
        let words =
            switch self {
            case .isGone: "the server no longer has the upload"
            case .isGoneAndMayBeComplete:
                "the server no longer has the upload, and may have received all of it: it is not sent twice"
            case .hasNoLocation: "the server created an upload without sending its URL"
            case .hasNoOffset: "the server does not send the offset of the upload"
            case .isBeyondEnd(let offset): "the server reports \(offset) bytes, more than were sent"
            case .isBehind(let offset): "the server reports \(offset) bytes, fewer than before"
            case .takesNextToNothing:
                "the server took fewer than \(TrickleCounter.least) bytes with each of more than \(UploadMachine.trickleLimit) "
                    + "requests: the upload is abandoned"
            case .hasOtherLength(let length): "the server expects an upload of another length, \(length) bytes"
            }
        return ErrandError(.invalidResponse, words)
    }
}
