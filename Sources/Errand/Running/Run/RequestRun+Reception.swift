internal import ErrandMachines
internal import Foundation

/// The reception of a body elsewhere than into memory.
struct BodyReception {
    /// The files of its attempts, which go with it unless one of them is moved to its place.
    var parts: [TemporaryFile] = []
    /// The attempts whose bodies are on their way, as long as someone holds those.
    var leases: [Lease] = []
    /// How much was read of the last body that came as a stream.
    var bytesRead = 0
    /// What is kept of the body for a request that goes on where this one is interrupted.
    var partial: PartialDownload?
    /// What another request goes on from, once this one has ended.
    var resumeData: ResumeData?
    /// Whether no other request can go on with it.
    var isPartialOver = false

    struct Lease {
        weak var lease: BodyLease?
    }

    var isEmpty: Bool { self.parts.isEmpty && self.leases.isEmpty && self.partial == nil }

    /// The file of an attempt that is at a place.
    func part(at url: URL) -> TemporaryFile? { self.parts.first { $0.url == url } }
}

/// The destinations of bodies: memory, a file, or a reader.
extension RequestRun {
    // MARK: - Before and after an exchange

    /// Where the body of the next attempt goes.
    ///
    /// - Returns: That, and the file if it is one.
    func nextDestination() -> (ExchangeContext.BodyDestination, TemporaryFile?) {
        switch self.destination.kind {
        case .memory: return (.memory(limit: self.environment.bodyLimit), nil)
        case .stream(let buffer): return (.stream(buffer: buffer), nil)
        case .file(let target):
            let part =
                self.partial.map { TemporaryFile($0.nextFile()) } ?? TemporaryFile(for: self.place(for: target))
            self.withReception { $0.reception.parts.append(part) }
            return (.file(part.url), part)
        }
    }

    /// What is kept of the body for a request that goes on where this one is interrupted.
    var partial: PartialDownload? { self.mayHaveReception ? self.withJourney { $0.reception.partial } : nil }

    /// Whether something of its bodies is left to be ended.
    var hasBodies: Bool { self.withJourney { !$0.reception.isEmpty || $0.upload != nil } }

    /// Who is told about the events of an exchange; `nil` where nobody is.
    ///
    /// - Parameters:
    ///   - call: What is sent.
    ///   - part: The file that the body goes into, if it goes into one.
    ///   - scope: What is stopped when the exchange turns out to be of no use.
    /// - Returns: The observer.
    @inline(never)
    func observer(
        of call: WireCall, into part: TemporaryFile?, stopping scope: any StopScope
    ) -> (@Sendable (ExchangeEvent) -> Void)? {
        let (watch, upload) = self.withJourney { ($0.watch, $0.upload) }
        let partial = self.partial
        var observer = watch.map { $0.hooks.observer(of: $0.activity) }
        if let upload {
            let (exchange, url) = (call.attempt, call.sent.url)
            observer = { [observer] event in
                let event = upload.note(event, from: url, in: exchange)
                observer?(event)
            }
        }
        guard let partial, let part else { return observer }
        let request = call.sent
        return { [observer] event in
            switch event {
            case .responseHead(let head):
                observer?(event)
                switch partial.note(head, to: request, of: part.url) {
                case .piece: part.keep()
                case .end: scope.stop(.cancelled)
                case .useless: break
                }
            case .received(let progress): observer?(.received(partial.progress(progress, of: part.url)))
            default: observer?(event)
            }
        }
    }

    /// The exchange returned: gives back its slot and its deadlines, now or with the end of a streamed body.
    ///
    /// - Returns: What holds them, where a body is still on its way.
    func settle(
        _ result: inout Result<HTTPResponse, ErrandError>, _ ticket: AdmissionMachine.Ticket,
        _ deadlines: Deadlines?
    ) -> BodyLease? {
        if case .success(let response) = result, case .stream(let body) = response.body {
            return self.lend(body, of: response, &result, ticket, deadlines)
        }
        deadlines?.clear()
        self.environment.admission.leave(ticket, over: (try? result.get())?.metrics?.httpVersion)
        return nil
    }

    /// Keeps slot and deadlines as long as the body is on its way; apart, because most responses need no room for it.
    @inline(never)
    private func lend(
        _ body: BodyStream, of response: HTTPResponse, _ result: inout Result<HTTPResponse, ErrandError>,
        _ ticket: AdmissionMachine.Ticket, _ deadlines: Deadlines?
    ) -> BodyLease {
        var response = response
        // The slot may be held for long: others to its host must not wait for its end to know how many they may be.
        if let version = response.metrics?.httpVersion { self.environment.admission.note(ticket, version) }
        let lease = BodyLease(body, ticket, deadlines, self.environment)
        self.withReception { $0.reception.leases.append(BodyReception.Lease(lease: lease)) }
        response.body = .stream(lease.body)
        result = .success(response)
        return lease
    }

    /// Ends all bodies that are still on their way: a request that is over receives nothing.
    func endBodies(_ outcome: RunOutcome) async {
        self.endEarlierBodies()
        await self.endPartialDownload(outcome)
        await self.endUpload()
        let parts = self.withJourney { journey in
            defer { journey.reception.parts = [] }
            return journey.reception.parts
        }
        withExtendedLifetime(parts) {}
    }

    /// Ends the bodies that came until now: what is sent on again must not wait for a slot that they hold.
    func endEarlierBodies() {
        guard self.mayHaveReception else { return }
        let leases = self.withJourney { journey -> [BodyLease] in
            guard !journey.reception.leases.isEmpty else { return [] }
            defer { journey.reception.leases = [] }
            return journey.reception.leases.compactMap(\.lease)
        }
        for lease in leases {
            lease.end()
            self.withJourney { $0.reception.bytesRead = lease.bytesRead }
        }
    }

    // MARK: - The response that was chosen

    /// Brings the body of a response to where the endpoint wants it.
    func place(_ response: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        switch (self.destination.kind, response.body) {
        case (.memory, _), (.stream, .stream): return response
        case (.stream, .bytes(let data)): return self.replaceBody(of: response, .stream(BodyStream(data)))
        case (.file(let target), let body):
            let part = try await self.part(with: body, for: target)
            try await self.checkDigest(of: part.url)
            // A request that was told to stop changes no file, though it has a response.
            guard self.lifeline.stopReason == nil else { throw .cancelled() }
            return self.replaceBody(of: response, .file(try part.move(to: self.place(for: target), target.existing)))
        case (.stream, .file):
            throw ErrandError(.unsupported, "the body of the response came as a file, and a stream was asked for")
        }
    }

    private func replaceBody(of response: HTTPResponse, _ body: HTTPResponse.Body) -> HTTPResponse {
        var response = response
        response.body = body
        self.noteLast(response)
        return response
    }

    /// Where a body goes, by the response that was chosen if there is one.
    private func place(for target: FileTarget) -> URL {
        let (response, url) = self.withJourney { ($0.response, $0.request.url) }
        return target.place(for: response?.head, from: response?.origin?.url ?? url)
    }

    /// The file that has the body; one is written where it did not come as a file, because an interceptor or a double
    /// answered.
    private func part(
        with body: HTTPResponse.Body, for target: FileTarget
    ) async throws(ErrandError) -> TemporaryFile {
        let stream: BodyStream
        switch body {
        case .file(let url):
            guard let part = self.withJourney({ $0.reception.part(at: url) }) else {
                throw ErrandError(.unsupported, "the body of the response went into another file than it should")
            }
            return part
        case .bytes(let data): stream = BodyStream(data)
        case .stream(let body): stream = body
        }
        guard self.lifeline.stopReason == nil else { throw .cancelled() }
        let part = TemporaryFile(for: self.place(for: target))
        try await part.write(stream)
        return part
    }

    /// Compares a body in a file with the digest that the endpoint wants it to have, and with that of the server.
    private func checkDigest(of file: URL) async throws(ErrandError) {
        let head = self.withJourney { $0.response }?.head
        guard self.destination.sha256 != nil || head?.representationDigest != nil else { return }
        let digest = try await SHA256(ofFile: file)
        if let wanted = self.destination.sha256, wanted.asciiLowercased() != digest.description {
            throw ErrandError(
                .digestMismatch, "the SHA-256 of the body is \(digest), and not \(wanted.asciiLowercased())")
        }
        guard let sent = head?.representationDigest, sent != digest else { return }
        throw ErrandError(
            .digestMismatch, "the SHA-256 of the body is \(digest), and not \(sent), as the server says (Repr-Digest)")
    }

    /// Puts the beginning of the body into memory, for the context of the error.
    func keepBeginning(of response: HTTPResponse) async {
        var beginning = Data()
        switch response.body {
        case .bytes: return
        case .file(let url): beginning = self.withJourney { $0.reception.part(at: url) }?.beginning ?? Data()
        case .stream(let stream): beginning = await stream.beginning()
        }
        _ = self.replaceBody(of: response, .bytes(beginning))
    }
}

extension TemporaryFile {
    /// The most names that are tried where there are files already.
    private static let nameLimit = 10_000

    /// Moves it to its place, or to one beside that.
    ///
    /// - Returns: Where it is.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``; nothing is changed then.
    fileprivate func move(
        to place: URL, _ existing: ResponseDestination.ExistingFile
    ) throws(ErrandError) -> URL {
        guard existing != .replace else {
            try self.replaceFile(at: place)
            return place
        }
        let (folder, name) = (place.deletingLastPathComponent(), place.lastPathComponent)
        let dot = name.dropFirst().unicodeScalars.lastIndex(of: ".") ?? name.endIndex
        for number in 1...(existing == .fail ? 1 : Self.nameLimit) {
            let other = number == 1 ? name : "\(name[..<dot])-\(number)\(name[dot...])"
            let place = folder.appending(path: other, directoryHint: .notDirectory)
            if try self.makeFile(at: place) { return place }
        }
        throw FileTarget.taken(place)
    }
}

extension BodyStream {
    /// A stream of bytes that are at hand; read once, like all bodies.
    fileprivate init(_ data: Data) {
        self.init(isRepeatable: false) {
            var rest = data.isEmpty ? nil : data
            return { () async throws(ErrandError) -> Data? in rest.take() }
        }
    }

    /// The first bytes of it, for the context of an error; what keeps it from being read ends them.
    func beginning() async -> Data {
        var (beginning, iterator) = (Data(), self.makeAsyncIterator())
        while beginning.count < ErrandError.Context.bodyLimit, let chunk = try? await iterator.next() {
            beginning += chunk
        }
        return beginning
    }
}
