internal import Errand
internal import ErrandTesting
internal import Foundation

/// One exchange on a connection: sends and receives at once.
struct PlainExchange: Sendable {
    private enum Event: Sendable {
        case sent(ErrandError?)
        case received(Result<HTTPResponse.Head, ErrandError>)
    }

    private let request: HTTPRequest
    private let content: PlainContent
    private let context: ExchangeContext
    private let connection: PlainConnection
    private let transport: PlainTransport
    private let input: PlainInput

    init(
        _ request: HTTPRequest, _ content: PlainContent, _ context: ExchangeContext, _ connection: PlainConnection,
        _ transport: PlainTransport
    ) {
        self.request = request
        self.content = content
        self.context = context
        self.connection = connection
        self.transport = transport
        self.input = PlainInput(connection, transport.defect)
    }

    /// Performs the exchange.
    func result() async -> Result<HTTPResponse, ErrandError> {
        self.connection.begin()
        do throws(ErrandError) {
            let (head, isWhole) = try await self.head()
            let framing = try PlainFraming(head, of: self.request.method, self.transport.defect)
            let isOld = await self.input.isOld
            let keeps = isWhole && framing.keepsConnection && !isOld
            let (transport, authority) = (self.transport, self.request.url.authority)
            let body = PlainBody(self.input, framing, self.context, transport.defect) { connection in
                if keeps { transport.giveBack(connection, authority) }
            }
            return .success(HTTPResponse(head: head, body: try await self.deliver(body)))
        } catch {
            self.connection.abort(error)
            return .failure(error)
        }
    }

    // MARK: - Head and content

    /// Sends the request and answers the head of its response, and whether all of the request was sent.
    private func head() async throws(ErrandError) -> (HTTPResponse.Head, isWhole: Bool) {
        let (head, failure, isWhole) = await withTaskGroup(of: Event.self) { group in
            group.addTask { .sent(await self.sendAll()) }
            group.addTask { .received(await self.receiveHead()) }
            var (head, failure, isWhole): (HTTPResponse.Head?, ErrandError?, Bool) = (nil, nil, false)
            for await event in group {
                switch event {
                case .sent(nil): isWhole = true
                // The server closed, or reset, perhaps behind an answer.
                case .sent(let error?) where error.code == .connectionLost: break
                case .sent(let error?) where head == nil || error.code != .cancelled:
                    failure = failure ?? error
                    self.connection.abort(error)
                case .sent: break
                case .received(.success(let received)):
                    head = received
                    if received.status.code >= 300 || self.transport.defect == .stopsSendingAtHead, !isWhole {
                        group.cancelAll()
                        self.connection.endWriting()
                    }
                case .received(.failure(let error)):
                    failure = failure ?? error
                    self.connection.abort(error)
                    group.cancelAll()
                }
            }
            return (head, failure, isWhole)
        }
        if let failure { throw failure }
        guard let head else { throw ErrandError(.connectionLost, "no head") }
        return (head, isWhole)
    }

    private func receiveHead() async -> Result<HTTPResponse.Head, ErrandError> {
        do throws(ErrandError) {
            while true {
                let head = try await self.input.readHead()
                let isInterim = head.status.kind == .informational
                if !isInterim || self.transport.defect == .reportsInterimHeads {
                    self.context.report(.responseHead(head))
                }
                if !isInterim { return .success(head) }
                guard head.status != 101 else { throw ErrandError(.invalidResponse, "a switch nobody asked for") }
            }
        } catch {
            return .failure(error)
        }
    }

    private func sendAll() async -> ErrandError? {
        do throws(ErrandError) {
            let next = try self.content.makePieces()
            try await self.connection.write(self.requestHead)
            var sent: Int64 = 0
            while let piece = try await next() {
                guard !Task.isCancelled else { throw .cancelled() }
                guard piece.count > (self.transport.defect == .losesSmallPieces ? 1 : 0) else { continue }
                try await self.connection.write(self.framed(piece))
                sent += Int64(piece.count)
                self.report(sent: sent)
            }
            if self.content.isChunked { try await self.connection.write(Data("0\r\n\r\n".utf8)) }
            return nil
        } catch {
            return error
        }
    }

    private func report(sent: Int64) {
        guard self.transport.defect != .reportsNoProgress else { return }
        self.context.report(.sent(TransferProgress(bytes: sent, total: self.content.length)))
    }

    private func framed(_ piece: Data) -> Data {
        guard self.content.isChunked else { return piece }
        return Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8)
    }

    private var requestHead: Data {
        var lines = ["\(self.request.method) \(self.request.url.requestTarget) HTTP/1.1"]
        if !self.request.headers.contains("Host") { lines.append("Host: \(self.request.url.authority)") }
        lines += self.request.headers.map { "\($0.name): \($0.value)" }
        if let (name, value) = self.content.field {
            lines.append("\(name): \(value)")
        } else if ["POST", "PUT", "PATCH"].contains(self.request.method.rawValue),
            self.transport.defect != .sendsNoLengthOfNothing
        {
            lines.append("Content-Length: 0")
        }
        return Data((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }

    // MARK: - The body

    private func deliver(_ body: PlainBody) async throws(ErrandError) -> HTTPResponse.Body {
        switch self.context.destination {
        case .memory(let limit):
            return .bytes(try await self.collect(body, limit: self.transport.defect == .ignoresLimits ? .max : limit))
        case .file(let file): return .file(try await self.write(body, to: file))
        case .stream:
            if self.transport.defect == .readsAhead { await body.readAhead() }
            return .stream(self.stream(of: body))
        }
    }

    private func collect(_ body: PlainBody, limit: Int) async throws(ErrandError) -> Data {
        var data = Data()
        while let piece = try await body.next() {
            data.append(piece)
            guard data.count <= limit else { throw ErrandError(.bodyTooLarge, "more than \(limit) bytes") }
        }
        if self.transport.defect == .changesBodies, data.count > 3 { data[2] ^= 1 }
        return data
    }

    private func write(_ body: PlainBody, to file: URL) async throws(ErrandError) -> URL {
        let flags: Data.WritingOptions = self.transport.defect == .overwritesFiles ? [] : .withoutOverwriting
        do {
            try Data().write(to: file, options: flags)
        } catch {
            throw ErrandError(.transportFailed, "no file can be made", cause: error)
        }
        guard let handle = try? FileHandle(forWritingTo: file) else {
            throw ErrandError(.transportFailed, "the file cannot be written")
        }
        do throws(ErrandError) {
            while let piece = try await body.next() { try? handle.write(contentsOf: piece) }
        } catch {
            if self.transport.defect != .leavesFiles { try? FileManager.default.removeItem(at: file) }
            throw error
        }
        return file
    }

    private func stream(of body: PlainBody) -> BodyStream {
        BodyStream {
            { () async throws(ErrandError) -> Data? in
                let result = await withTaskCancellationHandler { () async -> Result<Data?, ErrandError> in
                    do throws(ErrandError) {
                        return .success(try await body.next())
                    } catch {
                        return .failure(error)
                    }
                } onCancel: {
                    body.abort(.cancelled())
                }
                return try result.get()
            }
        }
    }
}
