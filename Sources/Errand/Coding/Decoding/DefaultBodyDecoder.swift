public import struct Foundation.Data
public import class Foundation.JSONDecoder

/// What decodes the responses of an endpoint that names no decoder, by the type of its value.
///
/// One type for all of them, and not one for each in an extension for the type: those would keep the compiler from
/// finding out what the `Response` of an endpoint is that does not say.
struct DefaultBodyDecoder<Output: Sendable>: BodyDecoder {
    var contentTypes: [MIMEType] { Output.self == XMLTree.self ? MIMEType.allXML : MIMEType.anything }
    var accept: String { Output.self == XMLTree.self ? XMLBodyDecoder().accept : AddedFields.acceptsAnything }

    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output {
        let value: any Sendable
        if Output.self == Void.self {
            value = ()
        } else if Output.self == XMLTree.self {
            value = try XMLBodyDecoder().decode(response, inheriting: json)
        } else if Output.self == DownloadedFile.self {
            value = try FileBodyDecoder().decode(response, inheriting: json)
        } else {
            throw ErrandError(.unsupported, "the endpoint makes its value itself: ask it to decode the response")
        }
        guard let value = value as? Output else { throw ErrandError(.unsupported, "this is no \(Output.self)") }
        return value
    }
}

extension DefaultBodyDecoder: SyntaxChecking {
    func checkSyntax(of response: HTTPResponse) throws(ErrandError) {
        if Output.self == XMLTree.self { try XMLBodyDecoder().checkSyntax(of: response) }
    }
}

/// The same for a value that is `Decodable`: the body for `Data` and `String`, and JSON for everything else.
///
/// Endpoints of others see it: where it is made, its type is known when they are compiled.
@usableFromInline
struct DefaultDecodableDecoder<Output: Decodable & Sendable>: BodyDecoder {
    @usableFromInline init() {}

    private var isJSON: Bool { Output.self != Data.self && Output.self != String.self }

    @usableFromInline
    var contentTypes: [MIMEType] { self.isJSON ? MIMEType.allJSON : MIMEType.anything }
    @usableFromInline
    var accept: String { self.isJSON ? AddedFields.acceptsJSON : AddedFields.acceptsAnything }

    @usableFromInline
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output {
        if Output.self == Data.self, let data = try response.dataInMemory() as? Output { return data }
        if Output.self == String.self,
            let text = try TextBodyDecoder(charset: nil).decode(response, inheriting: json) as? Output
        {
            return text
        }
        return try JSONBodyDecoder().decode(response, inheriting: json)
    }
}

extension DefaultDecodableDecoder: SyntaxChecking {
    func checkSyntax(of response: HTTPResponse) throws(ErrandError) {
        if self.isJSON { try JSONBodyDecoder<Output>().checkSyntax(of: response) }
    }
}
