public import Errand

public import struct Foundation.Data

extension LoopbackReply {
    /// Responds with a plain text.
    public static func text(_ text: String, status: HTTPStatus = 200, headers: LoopbackFields = [:]) -> LoopbackReply {
        data(Data(text.utf8), status: status, type: "text/plain; charset=utf-8", headers: headers)
    }

    /// Responds with a JSON text.
    public static func json(_ json: String, status: HTTPStatus = 200, headers: LoopbackFields = [:]) -> LoopbackReply {
        data(Data(json.utf8), status: status, type: "application/json", headers: headers)
    }

    /// Responds with JSON written as a literal, such as `["nick": "Ann", "level": 3]`.
    public static func json(
        _ value: JSONValue, status: HTTPStatus = 200, headers: LoopbackFields = [:]
    ) -> LoopbackReply {
        json(value.description, status: status, headers: headers)
    }

    /// Responds with bytes of a media type; a `Content-Type` among `headers` overrides `type`.
    public static func data(
        _ data: Data,
        status: HTTPStatus = 200,
        type: String? = "application/octet-stream",
        headers: LoopbackFields = [:]
    ) -> LoopbackReply {
        var headers = headers
        if let type, headers["Content-Type"] == nil { headers.append("Content-Type", type) }
        return LoopbackReply(.message(LoopbackMessage(status: status.code, headers: headers, body: .fixed(data))))
    }

    /// Responds with a status and no content.
    public static func status(_ status: HTTPStatus, headers: LoopbackFields = [:]) -> LoopbackReply {
        LoopbackReply(.message(LoopbackMessage(status: status.code, headers: headers)))
    }

    /// Responds with a chunked body, one chunk per piece, and trailers after it.
    public static func chunked(
        _ pieces: [Data],
        trailers: LoopbackFields = [:],
        status: HTTPStatus = 200,
        headers: LoopbackFields = [:]
    ) -> LoopbackReply {
        let body = LoopbackMessage.Body.chunked(pieces, trailers: trailers)
        return LoopbackReply(.message(LoopbackMessage(status: status.code, headers: headers, body: body)))
    }

    /// Redirects the client to another URL.
    public static func redirect(
        to location: String, status: HTTPStatus = 302, headers: LoopbackFields = [:]
    ) -> LoopbackReply {
        var headers = headers
        headers.append("Location", location)
        return .status(status, headers: headers)
    }

    /// Sends a text exactly as it is.
    public static func raw(_ text: String) -> LoopbackReply {
        LoopbackReply(.bytes(Data(text.utf8)))
    }
}
