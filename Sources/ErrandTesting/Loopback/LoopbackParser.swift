internal import struct Foundation.Data

/// Parses the requests of one connection; it never traps, whatever the bytes are.
struct LoopbackParser {
    /// The next event of the parser.
    enum Event {
        /// More bytes are needed.
        case needsBytes
        /// The client waits for `100 Continue` before it sends its body; reported once per request.
        case expectsContinue
        /// A complete request.
        case request(LoopbackRequest)
        /// The bytes are not an acceptable request, and the status to respond with; reported once, then only
        /// `needsBytes`.
        case refused(status: Int)
    }

    /// The position of the next byte in a request.
    private enum Phase {
        /// Before or in the request line; then `fields`.
        case requestLine
        /// In the header section; then one of the bodies, or `requestLine` again.
        case fields
        /// In a body of known length; then `requestLine`.
        case fixedBody(missing: Int)
        /// In the line that begins a chunk; then `chunkData`, or `trailers` after the last.
        case chunkSize
        /// In a chunk; then `chunkEnd`.
        case chunkData(missing: Int)
        /// In the empty line that ends a chunk; then `chunkSize`.
        case chunkEnd
        /// In the trailer section; then `requestLine`.
        case trailers
        /// After bytes that were refused; reading has stopped.
        case refused
    }

    private let options: LoopbackOptions
    private let connectionNumber: Int
    private var input = LoopbackInput()
    private var phase = Phase.requestLine
    private var draft: LoopbackRequest
    private var sectionSize = 0
    private var mayExpectContinue = false
    private var isHeadNew = false

    init(options: LoopbackOptions, connectionNumber: Int) {
        self.options = options
        self.connectionNumber = connectionNumber
        draft = LoopbackRequest(
            method: "", target: "", minorVersion: 1, connectionNumber: connectionNumber, requestNumber: 0)
    }

    /// The number of bytes that wait to be parsed.
    var waitingBytes: Int { input.count }

    /// The received part of the body that is being read.
    var bodySoFar: Data { draft.body }

    /// Returns the head of the request whose body is being read, once for each.
    mutating func takeHead() -> LoopbackRequest? {
        guard isHeadNew else { return nil }
        isHeadNew = false
        var head = draft
        head.body = Data()
        return head
    }

    /// Discards all waiting and future bytes.
    mutating func stop() {
        phase = .refused
        isHeadNew = false
        input.discard()
    }

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        if case .refused = phase { return }
        input.append(bytes)
    }

    /// Parses until there is an event.
    mutating func next() -> Event {
        while true {
            let event =
                switch phase {
                case .requestLine: readRequestLine()
                case .fields: readField()
                case .fixedBody(let missing): readFixedBody(missing)
                case .chunkSize: readChunkSize()
                case .chunkData(let missing): readChunkData(missing)
                case .chunkEnd: readChunkEnd()
                case .trailers: readTrailer()
                case .refused: Event.needsBytes as Event?
                }
            if let event { return event }
        }
    }
}

// MARK: - Head

extension LoopbackParser {
    private mutating func readRequestLine() -> Event? {
        switch input.readLine(limit: max(0, options.maximumHeadSize)) {
        case .found(let line) where line.isEmpty: return nil
        case .found(let line): return startRequest(line)
        case .incomplete:
            guard let first = input.first, first != LoopbackSyntax.carriageReturn else { return .needsBytes }
            return LoopbackSyntax.isToken(first) ? .needsBytes : refuse(400)
        case .tooLong: return refuse(431)
        case .malformed: return refuse(400)
        }
    }

    private mutating func startRequest(_ line: Range<Int>) -> Event? {
        let parts = input.bytes[line].split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(LoopbackSyntax.isToken),
            !parts[1].isEmpty, parts[1].allSatisfy(LoopbackSyntax.isTarget)
        else { return refuse(400) }
        let minorVersion: Int
        switch Self.minorVersion(parts[2]) {
        case .value(let number): minorVersion = number
        case .tooLarge: return refuse(505)
        case .malformed: return refuse(400)
        }
        draft = LoopbackRequest(
            method: String(decoding: parts[0], as: UTF8.self), target: String(decoding: parts[1], as: UTF8.self),
            minorVersion: minorVersion, connectionNumber: connectionNumber, requestNumber: draft.requestNumber + 1)
        sectionSize = line.count + 2
        phase = .fields
        return nil
    }

    /// The minor version of HTTP/1; any other major version counts as too large.
    private static func minorVersion(_ text: ArraySlice<UInt8>) -> LoopbackSyntax.Number {
        guard text.count == 8, text.starts(with: "HTTP/".utf8), text[text.startIndex + 6] == UInt8(ascii: "."),
            let major = LoopbackSyntax.hexValue(text[text.startIndex + 5]), major < 10,
            let minor = LoopbackSyntax.hexValue(text[text.startIndex + 7]), minor < 10
        else { return .malformed }
        return major == 1 ? .value(min(minor, 1)) : .tooLarge
    }

    private mutating func readField() -> Event? {
        readSection(into: \.headers) { parser in parser.endHead() }
    }

    /// Reads one line of a header or trailer section; the empty line ends it.
    private mutating func readSection(
        into section: WritableKeyPath<LoopbackRequest, LoopbackFields>,
        end: (inout Self) -> Event?
    ) -> Event? {
        switch input.readLine(limit: max(0, options.maximumHeadSize - sectionSize)) {
        case .found(let line) where line.isEmpty: return end(&self)
        case .found(let line):
            guard let field = Self.field(input.bytes[line]) else { return refuse(400) }
            sectionSize += line.count + 2
            draft[keyPath: section].append(field.name, field.value)
            return nil
        case .incomplete: return .needsBytes
        case .tooLong: return refuse(431)
        case .malformed: return refuse(400)
        }
    }

    private static func field(_ line: ArraySlice<UInt8>) -> LoopbackFields.Field? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = line[..<colon]
        var value = line[(colon + 1)...].drop(while: LoopbackSyntax.isBlank)
        while let last = value.last, LoopbackSyntax.isBlank(last) { value.removeLast() }
        guard !name.isEmpty, name.allSatisfy(LoopbackSyntax.isToken), value.allSatisfy(LoopbackSyntax.isValue) else {
            return nil
        }
        return LoopbackFields.Field(
            name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self))
    }

    private mutating func endHead() -> Event? {
        let hosts = draft.headers.values(of: "Host").count
        guard draft.minorVersion == 0 ? hosts <= 1 : hosts == 1 else { return refuse(400) }
        let codings = draft.headers.values(of: "Transfer-Encoding")
        let lengths = draft.headers.values(of: "Content-Length")
        mayExpectContinue = draft.minorVersion > 0 && draft.headers.contains(token: "100-continue", in: "Expect")
        guard codings.isEmpty else {
            guard lengths.isEmpty, draft.minorVersion > 0 else { return refuse(400) }
            guard codings.count == 1, LoopbackFields.isSameName(codings[0], "chunked") else { return refuse(501) }
            return begin(.chunkSize)
        }
        guard let length = lengths.first else { return finish() }
        guard lengths.allSatisfy({ $0 == length }) else { return refuse(400) }
        switch LoopbackSyntax.number(length.utf8, radix: 10, limit: max(0, options.maximumBodySize)) {
        case .value(0): return finish()
        case .value(let size):
            draft.body.reserveCapacity(min(size, 1 << 20))
            return begin(.fixedBody(missing: size))
        case .tooLarge: return refuse(413)
        case .malformed: return refuse(400)
        }
    }

    private mutating func begin(_ body: Phase) -> Event? {
        phase = body
        isHeadNew = true
        let mustAnswer = mayExpectContinue && options.answersExpectContinue && input.count == 0
        return mustAnswer ? .expectsContinue : nil
    }
}

// MARK: - Body

extension LoopbackParser {
    private mutating func readFixedBody(_ missing: Int) -> Event? {
        guard missing > 0 else { return finish() }
        guard input.count > 0 else { return .needsBytes }
        let bytes = input.readBytes(atMost: missing)
        draft.body.append(contentsOf: bytes)
        phase = .fixedBody(missing: missing - bytes.count)
        return nil
    }

    private mutating func readChunkSize() -> Event? {
        switch input.readLine(limit: 4096) {
        case .found(let line):
            let digits = input.bytes[line].prefix { LoopbackSyntax.hexValue($0) != nil }
            let end = input.bytes[digits.endIndex..<line.upperBound].first
            guard end.map({ $0 == UInt8(ascii: ";") || LoopbackSyntax.isBlank($0) }) ?? true else { return refuse(400) }
            return startChunk(digits)
        case .incomplete: return .needsBytes
        case .tooLong, .malformed: return refuse(400)
        }
    }

    private mutating func startChunk(_ digits: ArraySlice<UInt8>) -> Event? {
        switch LoopbackSyntax.number(digits, radix: 16, limit: max(0, options.maximumBodySize - draft.body.count)) {
        case .value(0):
            sectionSize = 0
            phase = .trailers
            return nil
        case .value(let size):
            phase = .chunkData(missing: size)
            return nil
        case .tooLarge: return refuse(413)
        case .malformed: return refuse(400)
        }
    }

    private mutating func readChunkData(_ missing: Int) -> Event? {
        guard missing > 0 else {
            phase = .chunkEnd
            return nil
        }
        guard input.count > 0 else { return .needsBytes }
        let bytes = input.readBytes(atMost: missing)
        draft.body.append(contentsOf: bytes)
        phase = .chunkData(missing: missing - bytes.count)
        return nil
    }

    private mutating func readChunkEnd() -> Event? {
        guard input.first ?? LoopbackSyntax.carriageReturn == LoopbackSyntax.carriageReturn else { return refuse(400) }
        switch input.readLine(limit: 0) {
        case .found(let line) where line.isEmpty:
            phase = .chunkSize
            return nil
        case .incomplete: return .needsBytes
        case .found, .tooLong, .malformed: return refuse(400)
        }
    }

    private mutating func readTrailer() -> Event? {
        readSection(into: \.trailers) { parser in parser.finish() }
    }
}

// MARK: - Endings

extension LoopbackParser {
    private mutating func finish() -> Event? {
        phase = .requestLine
        isHeadNew = false
        defer {
            draft = LoopbackRequest(
                method: "", target: "", minorVersion: 1, connectionNumber: connectionNumber,
                requestNumber: draft.requestNumber)
        }
        return .request(draft)
    }

    private mutating func refuse(_ status: Int) -> Event? {
        stop()
        return .refused(status: status)
    }
}
