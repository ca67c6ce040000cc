public import class Foundation.JSONDecoder

extension ErrandError.Context {
    /// The decoder of the client's JSON.
    package typealias BodyDecoderOfJSON = JSONDecoder
}

extension ErrandError {
    /// Decodes the server's description of the failure from the JSON body of its response.
    ///
    /// ```swift
    /// if let problem = try? error.decode(APIError.self) { show(problem.message) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder; `nil` uses the client's (``JSONCoding``).
    /// - Returns: The value.
    /// - Throws: ``ErrandError`` with the code ``Code/decodingFailed`` if there was no body, if it is not JSON for the
    ///   type, or if it exceeds the ``Context/bodyLimit`` and so was truncated.
    public func decode<Value: Decodable>(
        _ type: Value.Type, using decoder: JSONDecoder? = nil
    ) throws(ErrandError) -> Value {
        guard let body = self.context.body, !body.isEmpty else {
            throw ErrandError(.decodingFailed, "the error has no body to decode \(Value.self) from")
        }
        do throws(ErrandError) {
            return try (decoder ?? self.context.jsonDecoder ?? sharedJSONDecoder).decodeJSON(Value.self, from: body)
        } catch {
            guard body.count >= Context.bodyLimit else { throw error }
            throw ErrandError(
                .decodingFailed, "only \(Context.bodyLimit) bytes of the body were kept: \(error.message)",
                cause: error.cause)
        }
    }
}
