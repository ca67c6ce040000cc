internal import Errand
internal import Foundation

#if os(Linux)
    /// One exchange whose request is sent, as a test says, while its response is read.
    final class DuplexScene: Sendable {
        let server: DuplexServer
        let transport = CurlTransport()
        private let chunks: AsyncStream<Result<Data, ErrandError>>
        private let chunk: AsyncStream<Result<Data, ErrandError>>.Continuation
        private let readerIsGone = Waiter<Void>()

        init(_ habit: DuplexServer.Habit) throws {
            self.server = try DuplexServer(habit)
            (self.chunks, self.chunk) = AsyncStream.makeStream()
        }

        // MARK: - Sending

        /// Sends a part of the content of the request.
        func send(_ data: Data) {
            self.chunk.yield(.success(data))
        }

        /// Lets the content of the request end.
        func finish() {
            self.chunk.finish()
        }

        /// Lets the content of the request fail.
        func fail(_ error: ErrandError) {
            self.chunk.yield(.failure(error))
        }

        /// Waits until nobody reads the content of the request any more; called once.
        func waitUntilFeederEnds() async {
            _ = await self.readerIsGone.wait()
        }

        /// The content of the request, which ends when the task that reads it is cancelled, as streams of the library
        /// do.
        var content: BodyStream {
            let (chunks, readerIsGone) = (self.chunks, self.readerIsGone)
            return BodyStream {
                var iterator = chunks.makeAsyncIterator()
                let farewell = Farewell(readerIsGone)
                return { () async throws(ErrandError) -> Data? in
                    _ = farewell
                    return try await iterator.next(isolation: #isolation)?.get()
                }
            }
        }

        // MARK: - Receiving

        var request: HTTPRequest {
            get throws {
                let url = try HTTPURL("http://127.0.0.1:\(self.server.port)/echo")
                return HTTPRequest(method: .post, url: url, body: .stream(self.content, length: nil))
            }
        }

        /// Performs the exchange until the head of its response is there.
        func begin(buffer: Int = 1 << 16) async throws -> DuplexReader {
            let context = ExchangeContext(requestID: .next(), attempt: 1, destination: .stream(buffer: buffer))
            let response = try await self.transport.exchange(try self.request, context)
            guard case .stream(let stream) = response.body else {
                throw ErrandError(.invalidResponse, "the body is \(response.body)")
            }
            return DuplexReader(stream)
        }

        /// Waits until the exchange has let go of its connection and of the content of its request.
        func waitUntilOver() async -> CurlLedger? {
            await self.server.waitUntilClosed()
            await self.waitUntilFeederEnds()
            return await self.transport.ledger()
        }
    }

    /// Tells when whoever holds it is gone.
    private final class Farewell: Sendable {
        private let waiter: Waiter<Void>

        init(_ waiter: Waiter<Void>) {
            self.waiter = waiter
        }

        deinit {
            self.waiter.resume(())
        }
    }

    /// Reads a stream by bytes, however they are spread over chunks.
    struct DuplexReader {
        private var iterator: BodyStream.Iterator
        private var rest = Data()

        init(_ stream: BodyStream) {
            self.iterator = stream.makeAsyncIterator()
        }

        /// Reads so many bytes, or all there are before the end.
        mutating func read(_ count: Int = .max) async throws(ErrandError) -> Data {
            while self.rest.count < count, let chunk = try await self.iterator.next() { self.rest.append(chunk) }
            defer { self.rest = Data(self.rest.dropFirst(count)) }
            return Data(self.rest.prefix(count))
        }
    }
#endif
