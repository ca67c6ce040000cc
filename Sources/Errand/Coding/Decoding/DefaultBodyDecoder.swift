public import struct Foundation.Data
public import class Foundation.JSONDecoder

/// The decoder of an endpoint that names none, by the type of its value.
///
/// One type for all value types, because one per type in constrained extensions would keep the compiler from inferring
/// the `Response` of an endpoint that does not declare it.
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
            throw ErrandError(.unsupported, "the endpoint implements decode(_:): use that to decode the response")
        }
        guard let value = value as? Output else { throw ErrandError(.unsupported, "this is not a \(Output.self)") }
        return value
    }
}

extension DefaultBodyDecoder: SyntaxChecking {
    func checkSyntax(of response: HTTPResponse) throws(ErrandError) {
        if Output.self == XMLTree.self { try XMLBodyDecoder().checkSyntax(of: response) }
    }
}

/// The default decoder for `Decodable` values: the body for `Data` and `String`, and JSON for all other types.
///
/// Visible to clients of the package: it is specialized where their endpoints are compiled.
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
