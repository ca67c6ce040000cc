internal import Errand
internal import Foundation

#if os(Linux)
    /// A transport for which a request and its response are one after the other.
    struct OneWayTransport: Transport {
        enum Defect: Sendable, CaseIterable {
            /// Sends a stream once it has all of it.
            case collectsContent
            /// Sends a stream in pieces that are large enough.
            case waitsForFullPieces
            /// Hands a response over once it has all of it.
            case collectsResponses
        }

        private let base = CurlTransport()
        private let defect: Defect

        init(_ defect: Defect) {
            self.defect = defect
        }

        func exchange(_ request: HTTPRequest, _ context: ExchangeContext) async throws(ErrandError) -> HTTPResponse {
            var request = request
            if case .stream(let stream, _) = request.body {
                switch self.defect {
                case .collectsContent: request.body = .bytes(try await Self.bytes(of: stream))
                case .waitsForFullPieces: request.body = .stream(Self.joining(stream), length: nil)
                case .collectsResponses: break
                }
            }
            var response = try await self.base.exchange(request, context)
            if self.defect == .collectsResponses, case .stream(let stream) = response.body {
                let bytes = try await Self.bytes(of: stream)
                response.body = .stream(BodyStream { Self.once(bytes) })
            }
            return response
        }

        func shutdown() {
            self.base.shutdown()
        }

        private static func bytes(of stream: BodyStream) async throws(ErrandError) -> Data {
            var (bytes, iterator) = (Data(), stream.makeAsyncIterator())
            while let piece = try await iterator.next() { bytes.append(piece) }
            return bytes
        }

        private static func once(_ bytes: Data) -> () async throws(ErrandError) -> Data? {
            var rest: Data? = bytes
            return { () async throws(ErrandError) -> Data? in rest.take() }
        }

        private static func joining(_ stream: BodyStream) -> BodyStream {
            BodyStream {
                var iterator = stream.makeAsyncIterator()
                return { () async throws(ErrandError) -> Data? in
                    var joined = Data()
                    while joined.count < 1 << 20, let piece = try await iterator.next() { joined.append(piece) }
                    return joined.isEmpty ? nil : joined
                }
            }
        }
    }
#endif
