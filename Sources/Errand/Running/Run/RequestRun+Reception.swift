internal import ErrandMachines
internal import Foundation

/// The state of receiving a body that does not go into memory.
struct BodyReception {
    /// The temporary files of its attempts.
    ///
    /// They are deleted unless moved to their destination.
    var parts: [TemporaryFile] = []
    /// The attempts whose bodies are being received, as long as their streams are held.
    var leases: [Lease] = []
    /// The number of bytes read of the last streamed body.
    var bytesRead = 0
    /// The received part of the body, kept for a later request if this one is interrupted.
    var partial: PartialDownload?
    /// The data for a later request to resume from, once this one has ended.
    var resumeData: ResumeData?
    /// Set if the part is of no use to a later request.
    var isPartialOver = false

    struct Lease {
        weak var lease: BodyLease?
    }

    var isEmpty: Bool { self.parts.isEmpty && self.leases.isEmpty && self.partial == nil }

    /// The temporary file with the given URL.
    func part(at url: URL) -> TemporaryFile? { self.parts.first { $0.url == url } }
}

/// The destinations of bodies: memory, a file, or a reader.
extension RequestRun {
    // MARK: - Before and after an exchange

    /// Returns the destination of the next attempt's body.
    ///
    /// - Returns: The destination, and its temporary file if it is one.
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

    /// The received part of the body, kept for a later request if this one is interrupted.
    var partial: PartialDownload? { self.mayHaveReception ? self.withJourney { $0.reception.partial } : nil }

    /// True if bodies remain to be ended.
    var hasBodies: Bool { self.withJourney { !$0.reception.isEmpty || $0.upload != nil } }

    /// Returns the observer of an exchange; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - part: The file for the body, if any.
    ///   - scope: The scope to stop when the exchange turns out to be useless.
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

    /// Releases the slot and the deadlines after an exchange, now or with the end of a streamed body.
    ///
    /// - Returns: The lease that holds them, if a body is still being received.
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

    /// Keeps the slot and the deadlines while the body is received.
    ///
    /// A function of its own, because few responses need it.
    @inline(never)
    private func lend(
        _ body: BodyStream, of response: HTTPResponse, _ result: inout Result<HTTPResponse, ErrandError>,
        _ ticket: AdmissionMachine.Ticket, _ deadlines: Deadlines?
    ) -> BodyLease {
        var response = response
        // Report the HTTP version now, so that the host's stream limit applies at once.
        if let version = response.metrics?.httpVersion { self.environment.admission.note(ticket, version) }
        let lease = BodyLease(body, ticket, deadlines, self.environment)
        self.withReception { $0.reception.leases.append(BodyReception.Lease(lease: lease)) }
        response.body = .stream(lease.body)
        result = .success(response)
        return lease
    }

    /// Ends all bodies that are still being received: a request that is over receives no more data.
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

    /// Ends the bodies received so far: the next exchange must not wait for a slot that they hold.
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

    // MARK: - The final response

    /// Moves the body of a response to its destination.
    func place(_ response: HTTPResponse) async throws(ErrandError) -> HTTPResponse {
        switch (self.destination.kind, response.body) {
        case (.memory, _), (.stream, .stream): return response
        case (.stream, .bytes(let data)): return self.replaceBody(of: response, .stream(BodyStream(data)))
        case (.file(let target), let body):
            let part = try await self.part(with: body, for: target)
            try await self.checkDigest(of: part.url)
            // A stopped request changes no file, even if it has a response.
            guard self.lifeline.stopReason == nil else { throw .cancelled() }
            return self.replaceBody(of: response, .file(try part.move(to: self.place(for: target), target.existing)))
        case (.stream, .file):
            throw ErrandError(.unsupported, "the response body arrived as a file, but a stream was requested")
        }
    }

    private func replaceBody(of response: HTTPResponse, _ body: HTTPResponse.Body) -> HTTPResponse {
        var response = response
        response.body = body
        self.noteLast(response)
        return response
    }

    /// The destination of a body, determined from the final response if there is one.
    private func place(for target: FileTarget) -> URL {
        let (response, url) = self.withJourney { ($0.response, $0.request.url) }
        return target.place(for: response?.head, from: response?.origin?.url ?? url)
    }

    /// The temporary file with the body.
    ///
    /// It is written here if the body did not arrive as a file, because an interceptor or a test double answered.
    private func part(
        with body: HTTPResponse.Body, for target: FileTarget
    ) async throws(ErrandError) -> TemporaryFile {
        let stream: BodyStream
        switch body {
        case .file(let url):
            guard let part = self.withJourney({ $0.reception.part(at: url) }) else {
                throw ErrandError(.unsupported, "the response body was written to another file than requested")
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

    /// Compares the digest of a file with the one expected by the endpoint, and with the one sent by the server.
    private func checkDigest(of file: URL) async throws(ErrandError) {
        let head = self.withJourney { $0.response }?.head
        guard self.destination.sha256 != nil || head?.representationDigest != nil else { return }
        let digest = try await SHA256(ofFile: file)
        if let wanted = self.destination.sha256, wanted.asciiLowercased() != digest.description {
            throw ErrandError(
                .digestMismatch, "the SHA-256 of the body is \(digest) instead of \(wanted.asciiLowercased())")
        }
        guard let sent = head?.representationDigest, sent != digest else { return }
        throw ErrandError(
            .digestMismatch, "the SHA-256 of the body is \(digest) instead of \(sent), the server's Repr-Digest")
    }

    /// Moves the beginning of the body into memory, for the context of the error.
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
    /// The maximum number of names tried if files already exist.
    private static let nameLimit = 10_000

    /// Moves the file to its destination, or to an unused name beside it.
    ///
    /// - Returns: The final URL.
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``; no file is changed then.
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
    /// Creates a one-time stream of bytes in memory.
    fileprivate init(_ data: Data) {
        self.init(isRepeatable: false) {
            var rest = data.isEmpty ? nil : data
            return { () async throws(ErrandError) -> Data? in rest.take() }
        }
    }

    /// Reads the first bytes for the context of an error, up to a failure.
    func beginning() async -> Data {
        var (beginning, iterator) = (Data(), self.makeAsyncIterator())
        while beginning.count < ErrandError.Context.bodyLimit, let chunk = try? await iterator.next() {
            beginning += chunk
        }
        return beginning
    }
}
