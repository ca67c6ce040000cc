internal import ErrandMachines

/// Decides how an upload goes on: a value that sends nothing and reads no clock.
///
/// Each event is what came of the step before, and returns the next step. It trusts a server to know what it has, and
/// stops where what the server says cannot be: the bytes would be wrong.
struct UploadMachine: Sendable {
    /// The most requests in a row that bring next to nothing: a server takes what it takes, and says so.
    static let trickleLimit = 128

    /// With a lower limit for requests a server takes next to nothing.
    private static let leastLimit: Int64 = 512

    /// How the server is talked to.
    private(set) var dialect: UploadDialect
    /// Whether the request that begins the upload offers to resume it, by the draft.
    var isOffered: Bool { self.offer != .withdrawn }
    /// Where the upload is; `nil` before the server has said so.
    private(set) var location: HTTPURL?
    /// How many bytes there are, where that is known.
    let length: Int64?

    /// The offer of the request that begins the upload, by what servers have refused.
    private enum Offer {
        /// The version that was chosen.
        case first
        /// The version that was refused was another one.
        case second
        /// None: the request is an ordinary one.
        case withdrawn
    }

    /// Whether the request that begins it may be sent twice.
    private let isIdempotent: Bool
    /// The fields of that request, as the caller has them.
    private let headers: HTTPFields
    private var offer = Offer.first
    private let chunkSize: Int64?
    /// The number of bytes the server has, as it last said.
    private var offset: Int64 = 0
    /// Where the content of the exchange that is under way begins.
    private var base: Int64 = 0
    /// Whether the server may have all of it.
    private var mayBeComplete = false
    /// Whether a response came to the content that a server may take back.
    private var hasFailedResponse = false
    private var patience = UploadPatience()
    private var trickle = TrickleCounter(limit: Self.trickleLimit)
    /// Whether it may begin anew, whatever became of what was there.
    private var isFromRecord: Bool
    private var hasBegunAnew = false
    private var appendLimit: Int64?
    /// Whether the request that begins the upload is under way, and in which exchange the server last said where it is.
    private var isCreating: Bool
    private var announcedIn = 0

    /// Creates the machine of an upload.
    ///
    /// - Parameters:
    ///   - dialect: How the server is talked to, until it says otherwise.
    ///   - length: How many bytes there are.
    ///   - isIdempotent: Whether the request that begins it may be sent twice.
    ///   - headers: The fields of that request, as the caller has them.
    ///   - chunkSize: The most bytes of one request; `nil` for as many as there are.
    ///   - location: Where an earlier call has begun the upload.
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

    /// What to do first.
    var first: Step { self.location.map { .ask($0, after: .zero) } ?? .create }

    // MARK: - While an exchange is under way

    /// Content was sent, so many bytes of the exchange; returns how far the upload is with them.
    mutating func sent(_ bytes: Int64) -> TransferProgress {
        let end = self.base + bytes
        if self.length.map({ end >= $0 }) ?? true { self.mayBeComplete = true }
        return TransferProgress(bytes: end, total: self.length)
    }

    /// An interim response came in an exchange; returns whether it says where the upload is.
    ///
    /// Where the request that begins the upload is sent again, for a challenge or by an interceptor, that is another
    /// upload.
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

    /// The request that begins the upload has ended; `url` is where it went, and `count` how much content went with it.
    mutating func created(_ outcome: Outcome, from url: HTTPURL, count: Int64?) -> Step {
        self.isCreating = false
        switch (self.dialect, outcome) {
        case (.draft, .lost):
            guard self.location != nil else { return .deliver(isOver: true) }
            return self.interrupted()
        case (.draft, .response) where !self.isOffered: return .deliver(isOver: true)
        case (.draft(let version), .response(let head)):
            // A server that accepted the offer means the request with whatever it says now.
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

    /// The server was asked how much it has.
    ///
    /// - Parameters:
    ///   - outcome: What came of that.
    ///   - most: The most bytes that it can have: what was read of the content, where its length is not known.
    /// - Returns: The next step.
    mutating func asked(_ outcome: Outcome, atMost most: Int64? = nil) -> Step {
        guard case .response(let head) = outcome else { return self.interrupted() }
        switch head.status.code {
        case 200...299: return self.found(UploadStatus(head), atMost: self.length ?? most)
        case let code where Self.mayBeAskedAgain(code):
            return self.interrupted(isHeld: true, for: UploadStatus(head).retryAfter)
        // A credential can be renewed: the next call goes on.
        case 401, 403, 407: return .deliver(isOver: false)
        case 400...499: return self.isGone()
        default: return self.contradicted(.hasNoOffset)
        }
    }

    /// Content was sent, so many bytes of it.
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
        // A credential can be renewed: the next call goes on.
        case (401, _), (403, _), (407, _): return .deliver(isOver: false)
        case (let code, _) where Self.mayBeAskedAgain(code):
            // What tus says to content is no response that the caller waits for.
            self.hasFailedResponse = code >= 500 && self.dialect != .tus && !Self.isOfGateway(code)
            return self.interrupted(isHeld: code < 500, for: status.retryAfter)
        default: return .deliver(isOver: true)
        }
    }

    // MARK: - Verdicts

    /// A response in the draft that is a success, of all of the upload unless it says how much is missing.
    private mutating func succeeded(_ status: UploadStatus) -> Step {
        // Some servers say one or the other where they mean neither.
        guard status.isComplete == false, let offset = status.offset, let length, offset < length, self.location != nil
        else { return .deliver(isOver: true) }
        return offset > self.offset ? self.advanced(to: offset, within: length) : self.interruptedBySuccess()
    }

    /// Whether a status says that a response was lost on the way, and not what it was.
    private static func isOfGateway(_ code: Int) -> Bool { code == 502 || code == 504 }

    /// Whether a status says that another request may succeed where this one did not.
    private static func mayBeAskedAgain(_ code: Int) -> Bool {
        [408, 409, 423, 425, 429].contains(code) || 500...599 ~= code
    }

    /// Whether a status says that the server may create an upload where it did not.
    private static func mayBeCreatedAgain(_ code: Int) -> Bool {
        [408, 425, 429, 500, 502, 503, 504].contains(code)
    }

    /// The server refused the offer: the same content is sent with another one, once, and then with none.
    ///
    /// It has processed nothing of the request, so that a method that is not idempotent is not carried out twice.
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

    /// A creation in tus failed: without content it is repeated, unless that has been in vain too often.
    ///
    /// The worst that can come of it is an upload of nothing that nobody goes on with.
    private mutating func creationFailed(_ count: Int64?, isHeld: Bool = false, for time: Duration? = nil) -> Step {
        guard count ?? 0 == 0, let delay = self.patience.delay(isHeld: isHeld, for: time) else {
            return .deliver(isOver: true)
        }
        self.isCreating = true
        return .createAgain(after: delay)
    }

    /// Something ended the exchange: what the server has is asked for, unless that has been in vain too often.
    ///
    /// `isHeld` says that the server would say the same if it was asked at once, and the time how long at least.
    private mutating func interrupted(isHeld: Bool = false, for time: Duration? = nil) -> Step {
        guard let location, let delay = self.patience.delay(isHeld: isHeld, for: time) else {
            return .deliver(isOver: false)
        }
        return .ask(location, after: delay)
    }

    /// The server took content, as it says, and does not have it.
    private mutating func interruptedBySuccess() -> Step {
        let step = self.interrupted()
        // A success that nothing came of is none.
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

    /// The server has taken content.
    private mutating func advanced(to offset: Int64, within end: Int64) -> Step {
        guard offset <= end else { return .fail(.isBeyondEnd(offset)) }
        let isWorthMore = self.gained(offset)
        if self.dialect == .tus, offset == self.length { return .deliver(isOver: true) }
        return isWorthMore ? self.append() : .fail(.takesNextToNothing)
    }

    /// The server has so many bytes now; returns whether more is to be sent, and not next to nothing comes of it.
    private mutating func gained(_ offset: Int64) -> Bool {
        let count = offset - self.offset
        // A limit of the server's own, unless that is next to nothing, is all that it was sent.
        let most = self.mostPerRequest.map { min(max($0, Self.leastLimit), self.chunkSize ?? .max) }
        let wanted = min(most ?? .max, self.length.map { $0 - self.offset } ?? .max)
        self.offset = offset
        // What was only asked for has not been in vain.
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

    /// The most bytes of a request, by the caller and by the server.
    private var mostPerRequest: Int64? {
        // Of content without a known length nobody could tell which part is the last.
        [self.chunkSize, self.length == nil ? nil : self.appendLimit].compactMap(\.self).min()
    }

    /// What the server says of an upload that an earlier call has begun is not about this one.
    private mutating func contradicted(_ problem: Problem) -> Step {
        self.isFromRecord ? self.isGone() : .fail(problem)
    }

    /// There is no upload any more: it begins anew, once, if the server cannot have had all of it.
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
