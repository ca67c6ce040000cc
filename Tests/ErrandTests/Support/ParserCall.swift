#if os(Linux) || os(macOS)
    internal import Errand
    internal import Foundation

    /// Asks what several parsers read from a body.
    struct ParserCall: Endpoint {
        typealias Response = ParserAnswer

        var path: EndpointPath { "" }
        var method: HTTPMethod { .post }
        var options = RequestOptions()
        var parameters: Parameters = [:]
        var body = RequestBody.none

        /// A call with a body.
        init(_ body: RequestBody) {
            self.body = body
        }

        /// A call with a form.
        init(_ parameters: Parameters, _ style: ParameterEncoding.QueryStyle) {
            self.parameters = parameters
            self.options = .parameterEncoding(ParameterEncoding(.body, query: style))
        }
    }

    /// What came, and what the parsers read.
    struct ParserAnswer: Decodable, Sendable {
        /// What one parser makes of a body.
        struct Reading<Content: Decodable & Sendable>: Decodable, Sendable {
            let content: Content?
            let problem: String?
        }

        /// One part of a form.
        struct Part: Decodable, Hashable, Sendable, CustomStringConvertible {
            let name: String
            var filename: String?
            var contentType: String?
            let content: Data

            /// Contents may be large.
            var description: String {
                "\(self.name.debugDescription), file \(self.filename.debugDescription), \(self.contentType ?? "no type"): "
                    + "\(self.content.count) bytes \(String(decoding: self.content.prefix(32), as: UTF8.self).debugDescription)"
            }

            /// Byte by byte: names that look alike are not the same.
            static func == (left: Part, right: Part) -> Bool {
                left.name.utf8.elementsEqual(right.name.utf8) && left.contentType == right.contentType
                    && left.filename.map { Array($0.utf8) } == right.filename.map { Array($0.utf8) }
                    && left.content == right.content
            }
        }

        let contentType: String?
        let contentLength: String?
        let transferEncoding: String?
        let size: Int
        let multipart: [String: Reading<[Part]>]?
        let form: [String: Reading<[[String]]>]?
    }
#endif
