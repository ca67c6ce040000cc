internal import ErrandMachines

/// Decides the next step of an upload: a value that sends nothing and reads no clock.
///
/// Each event reports the end of a step and returns the next step. The machine trusts the server's offset, and stops if
/// the server contradicts itself, because the bytes would be wrong.
struct UploadMachine: Sendable {
    /// The maximum number of requests in a row with almost no progress; a server may set a small limit.
    static let trickleLimit = 128

    /// A server with a lower limit for requests makes almost no progress.
    private static let leastLimit: Int64 = 512

    /// The protocol.
    private(set) var dialect: UploadDialect
    /// True if the initial request offers resumption by the draft.
    var isOffered: Bool { self.offer != .withdrawn }
    /// The upload URL; `nil` until the server has sent it.
    private(set) var location: HTTPURL?
    /// The length of the content, if known.
    let length: Int64?

    /// The offer of the initial request, after refusals by the server.
    private enum Offer {
        /// The chosen version.
        case first
        /// Another version, after the first was refused.
        case second
        /// No offer: the request is an ordinary one.
        case withdrawn
    }

    /// True if the initial request may be sent twice.
    private let isIdempotent: Bool
    /// The caller's fields of that request.
    private let headers: HTTPFields
    private var offer = Offer.first
    private let chunkSize: Int64?
    /// The server's offset, as last reported.
    private var offset: Int64 = 0
    /// The offset of the content in flight.
    private var base: Int64 = 0
    /// True if the server may have received all content.
    private var mayBeComplete = false
    /// True if the content got a failure response, which is delivered if the server has all content.
    private var hasFailedResponse = false
    private var patience = UploadPatience()
    private var trickle = TrickleCounter(limit: Self.trickleLimit)
    /// True until the server confirms the recorded upload; until then, the upload may always start again.
    private var isFromRecord: Bool
    private var hasBegunAnew = false
    private var appendLimit: Int64?
    /// True while the initial request is in flight.
    private var isCreating: Bool
    private var announcedIn = 0

    /// Creates the machine of an upload.
    ///
    /// - Parameters:
    ///   - dialect: The protocol, until the server chooses another version.
    ///   - length: The length of the content.
    ///   - isIdempotent: True if the initial request may be sent twice.
    ///   - headers: The caller's fields of that request.
    ///   - chunkSize: The maximum number of bytes of one request; `nil` sets no limit.
    ///   - location: The upload URL of an earlier call.
    init(
        _ dialect: UploadDialect, length: Int64?, isIdempotent: Bool, headers: HTTPFields = [:],
        chunkSize: Int64? = nil, location: HTTPURL? = nil
    ) {
        self.dialect = dialect
        self.length = length
        self.isIdempotent = isIdempotent
        self.headers = headers
        self.chunkSize = chunkSize
        self.location = location
        self.isFromRecord = location != nil
        self.isCreating = location == nil
    }

    /// The first step.
    var first: Step { self.location.map { .ask($0, after: .zero) } ?? .create }

    // MARK: - While an exchange is under way

    /// Records the number of bytes sent in the exchange; returns the progress of the upload.
    mutating func sent(_ bytes: Int64) -> TransferProgress {
        let end = self.base + bytes
        if self.length.map({ end >= $0 }) ?? true { self.mayBeComplete = true }
        return TransferProgress(bytes: end, total: self.length)
    }

    /// Handles an interim response of an exchange; returns true if it contains the upload URL.
    ///
    /// If the initial request is sent again, for a challenge or by an interceptor, it creates another upload.
    mutating func announced(_ head: HTTPResponse.Head, from url: HTTPURL, in exchange: Int = 1) -> Bool {
        guard head.status.code == 104, case .draft = self.dialect, self.isCreating, self.isOffered,
            exchange > self.announcedIn, let version = head.uploadVersion,
            UploadDialect.draftVersions.contains(version), let location = head.uploadLocation(from: url)
        else { return false }
        self.dialect = .draft(version: version)
        self.location = location
        self.announcedIn = exchange
        self.appendLimit = UploadStatus(head).appendLimit
        return true
    }

    // MARK: - After an exchange

    /// Handles the end of the initial request, with its URL and the number of content bytes sent with it.
    mutating func created(_ outcome: Outcome, from url: HTTPURL, count: Int64?) -> Step {
        self.isCreating = false
        switch (self.dialect, outcome) {
        case (.draft, .lost):
            guard self.location != nil else { return .deliver(isOver: true) }
            return self.interrupted()
        case (.draft, .response) where !self.isOffered: return .deliver(isOver: true)
        case (.draft(let version), .response(let head)):
            // If the server has accepted the offer, any status is a response to the request.
            if self.location == nil, let refusal = UploadRefusal(head, ofOffer: version, with: self.headers) {
                return self.refused(refusal, version)
            }
            let status = UploadStatus(head)
            if 200...299 ~= head.status.code {
                self.location = self.location ?? head.uploadLocation(from: url)
                return self.succeeded(status)
            }
            let mayGoOn = self.location != nil && 500...599 ~= head.status.code
            guard mayGoOn, status.isComplete != true else { return .deliver(isOver: true) }
            self.hasFailedResponse = !Self.isOfGateway(head.status.code)
            return self.interrupted(for: status.retryAfter)
        case (.tus, .lost): return self.creationFailed(count)
        case (.tus, .response(let head)) where Self.mayBeCreatedAgain(head.status.code):
            return self.creationFailed(count, isHeld: true, for: UploadStatus(head).retryAfter)
        case (.tus, .response(let head)):
            guard 200...299 ~= head.status.code else { return .deliver(isOver: true) }
            guard let location = head.uploadLocation(from: url) else { return .fail(.hasNoLocation) }
            self.location = location
            self.patience = UploadPatience()
            return self.advanced(to: UploadStatus(head).offset ?? 0, within: count ?? 0)
        }
    }

    /// Handles the response to a request for the offset.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - most: The highest possible offset: the number of bytes read, if the length of the content is unknown.
    /// - Returns: The next step.
    mutating func asked(_ outcome: Outcome, atMost most: Int64? = nil) -> Step {
        guard case .response(let head) = outcome else { return self.interrupted() }
        switch head.status.code {
        case 200...299: return self.found(UploadStatus(head), atMost: self.length ?? most)
        case let code where Self.mayBeAskedAgain(code):
            return self.interrupted(isHeld: true, for: UploadStatus(head).retryAfter)
        // The credential can be renewed, and the next call can resume.
        case 401, 403, 407: return .deliver(isOver: false)
        case 400...499: return self.isGone()
        default: return self.contradicted(.hasNoOffset)
        }
    }

    /// Handles the end of a request that appended content.
    mutating func appended(_ outcome: Outcome, count: Int64?) -> Step {
        guard case .response(let head) = outcome else { return self.interrupted() }
        let status = UploadStatus(head)
        switch (head.status.code, self.dialect) {
        case (200...299, .tus):
            guard let offset = status.offset else { return self.interrupted() }
            guard offset > self.offset else {
                return offset == self.offset ? self.interruptedBySuccess() : .fail(.isBehind(offset))
            }
            return self.advanced(to: offset, within: self.offset + (count ?? 0))
        case (200...299, .draft):
            guard let count, self.length.map({ self.offset + count < $0 }) ?? false else {
                return self.succeeded(status)
            }
            return self.advanced(to: self.offset + count, within: self.offset + count)
        case (_, .draft) where status.isComplete == true: return .deliver(isOver: true)
        case (404, _), (410, _): return self.isGone()
        // The credential can be renewed, and the next call can resume.
        case (401, _), (403, _), (407, _): return .deliver(isOver: false)
        case (let code, _) where Self.mayBeAskedAgain(code):
            // In tus, the response to content is not the response of the request.
            self.hasFailedResponse = code >= 500 && self.dialect != .tus && !Self.isOfGateway(code)
            return self.interrupted(isHeld: code < 500, for: status.retryAfter)
        default: return .deliver(isOver: true)
        }
    }

    // MARK: - Verdicts

    /// Handles a success in the draft, which completes the upload unless it reports a lower offset.
    private mutating func succeeded(_ status: UploadStatus) -> Step {
        // Some servers send one of these without meaning it.
        guard status.isComplete == false, let offset = status.offset, let length, offset < length, self.location != nil
        else { return .deliver(isOver: true) }
        return offset > self.offset ? self.advanced(to: offset, within: length) : self.interruptedBySuccess()
    }

    /// Returns true if a gateway did not get the server's response.
    private static func isOfGateway(_ code: Int) -> Bool { code == 502 || code == 504 }

    /// Returns true if a retry may succeed after this status.
    private static func mayBeAskedAgain(_ code: Int) -> Bool {
        [408, 409, 423, 425, 429].contains(code) || 500...599 ~= code
    }

    /// Returns true if creating an upload may succeed after this status.
    private static func mayBeCreatedAgain(_ code: Int) -> Bool {
        [408, 425, 429, 500, 502, 503, 504].contains(code)
    }

    /// Handles a refused offer: the content is sent once more with another version, and then without an offer.
    ///
    /// The server has not processed the refused request, so a non-idempotent method is not carried out twice.
    private mutating func refused(_ refusal: UploadRefusal, _ version: Int) -> Step {
        if self.offer == .first, let next = refusal.next(after: version) {
            self.offer = .second
            self.dialect = .draft(version: next)
        } else {
            self.offer = .withdrawn
        }
        self.isCreating = true
        self.mayBeComplete = false
        return .create
    }

    /// Handles a failed creation in tus: without content it is repeated, up to the retry limit.
    ///
    /// At worst, this leaves an empty upload on the server.
    private mutating func creationFailed(_ count: Int64?, isHeld: Bool = false, for time: Duration? = nil) -> Step {
        guard count ?? 0 == 0, let delay = self.patience.delay(isHeld: isHeld, for: time) else {
            return .deliver(isOver: true)
        }
        self.isCreating = true
        return .createAgain(after: delay)
    }

    /// Handles an interruption: asks for the server's offset, up to the retry limit.
    ///
    /// `isHeld` is true if asking again at once would give the same result, and `time` is the server's minimum delay.
    private mutating func interrupted(isHeld: Bool = false, for time: Duration? = nil) -> Step {
        guard let location, let delay = self.patience.delay(isHeld: isHeld, for: time) else {
            return .deliver(isOver: false)
        }
        return .ask(location, after: delay)
    }

    /// Handles a success response that did not advance the offset.
    private mutating func interruptedBySuccess() -> Step {
        let step = self.interrupted()
        // A success without progress is a failure.
        if case .deliver = step { return .fail(.hasNoOffset) }
        return step
    }

    private mutating func found(_ status: UploadStatus, atMost most: Int64?) -> Step {
        guard let offset = status.offset else { return self.contradicted(.hasNoOffset) }
        if let length, let expected = status.length, expected != length {
            return self.contradicted(.hasOtherLength(expected))
        }
        if let most, offset > most { return self.contradicted(.isBeyondEnd(offset)) }
        guard offset >= self.offset else { return .fail(.isBehind(offset)) }
        self.isFromRecord = false
        self.appendLimit = status.appendLimit ?? self.appendLimit
        let isWorthMore = self.gained(offset)
        let isComplete = self.dialect == .tus ? offset == self.length : status.isComplete == true
        guard isComplete else { return isWorthMore ? self.append() : .fail(.takesNextToNothing) }
        guard self.length.map({ offset == $0 }) ?? true else { return .fail(.isBehind(offset)) }
        return self.hasFailedResponse ? .deliverEarlier : .deliver(isOver: true)
    }

    /// Handles an advanced offset.
    private mutating func advanced(to offset: Int64, within end: Int64) -> Step {
        guard offset <= end else { return .fail(.isBeyondEnd(offset)) }
        let isWorthMore = self.gained(offset)
        if self.dialect == .tus, offset == self.length { return .deliver(isOver: true) }
        return isWorthMore ? self.append() : .fail(.takesNextToNothing)
    }

    /// Updates the offset; returns true if the upload should continue, and false if it makes almost no progress.
    private mutating func gained(_ offset: Int64) -> Bool {
        let count = offset - self.offset
        // A request is limited by the server's own limit, unless that is almost zero.
        let most = self.mostPerRequest.map { min(max($0, Self.leastLimit), self.chunkSize ?? .max) }
        let wanted = min(most ?? .max, self.length.map { $0 - self.offset } ?? .max)
        self.offset = offset
        // A request for the offset is not a failure to make progress.
        guard count > 0 else { return true }
        self.patience = UploadPatience()
        return self.trickle.note(count, of: wanted)
    }

    private mutating func append() -> Step {
        guard let location else { return .create }
        self.base = self.offset
        self.hasFailedResponse = false
        let rest = self.length.map { $0 - self.offset }
        return .append(location, from: self.offset, count: [rest, self.mostPerRequest].compactMap(\.self).min())
    }

    /// The maximum number of bytes of a request, by the caller and by the server.
    private var mostPerRequest: Int64? {
        // Without a known length, the last part could not be marked.
        [self.chunkSize, self.length == nil ? nil : self.appendLimit].compactMap(\.self).min()
    }

    /// Handles a contradiction: a recorded upload may be a different one, and is started again.
    private mutating func contradicted(_ problem: Problem) -> Step {
        self.isFromRecord ? self.isGone() : .fail(problem)
    }

    /// Handles a missing upload: it is started again, once, unless the server may have received all of it.
    private mutating func isGone() -> Step {
        guard !self.hasBegunAnew, self.isFromRecord || self.isIdempotent || !self.mayBeComplete else {
            return .fail(self.mayBeComplete ? .isGoneAndMayBeComplete : .isGone)
        }
        self.hasBegunAnew = true
        self.isFromRecord = false
        self.mayBeComplete = false
        self.location = nil
        self.isCreating = true
        (self.offset, self.base, self.patience) = (0, 0, UploadPatience())
        return .create
    }
}
