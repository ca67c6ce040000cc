public import class Foundation.JSONDecoder

extension ErrandError.Context {
    /// What decodes the JSON of the client.
    package typealias BodyDecoderOfJSON = JSONDecoder
}

extension ErrandError {
    /// Decodes what the server said about the failure from the JSON in the body of its response.
    ///
    /// ```swift
    /// if let problem = try? error.decode(APIError.self) { show(problem.message) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder with its strategies, or `nil` for the one of the client (``JSONCoding``).
    /// - Returns: The value.
    /// - Throws: ``ErrandError`` with the code ``Code/decodingFailed`` when there was no body, when it is not JSON for
    ///   the type, or when it is longer than the ``Context/bodyLimit`` and so not kept whole.
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
                .decodingFailed, "of the body no more than \(Context.bodyLimit) bytes were kept: \(error.message)",
                cause: error.cause)
        }
    }
}
