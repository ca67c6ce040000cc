internal import struct Foundation.Data

extension ResponseValidation {
    /// Tells whether the status, and the content type where types are named, are accepted.
    ///
    /// That is all there is to know before a body, and all that most endpoints ask for.
    func acceptsHead(of response: HTTPResponse) -> Bool {
        guard self.statusCodes.contains(response.status.rawValue) else { return false }
        guard let types = self.contentTypes else { return true }
        return response.refusal(accepting: types) == nil
    }

    /// Whether more than the head has to be looked at.
    var looksIntoContent: Bool { self.shape != nil || !self.checks.isEmpty }

    /// Why a response is not accepted; `nil` if it is.
    ///
    /// What only the decoder asks for is not looked at, unless the response is refused anyway.
    ///
    /// - Complexity: Linear in the size of the body, where it has to be looked at.
    func refusal(of response: HTTPResponse, for decoder: ResponseDecoder<some Sendable>) -> ErrandError? {
        guard self.statusCodes.contains(response.status.rawValue) else {
            return self.refusalOfStatus(of: response, decoder)
        }
        if let types = self.contentTypes, let refusal = response.refusal(accepting: types) { return refusal }
        let check = self.firstFailedCheck(response)
        guard let refusal = self.refusalOfShape(of: response) else { return check }
        return refusal.caused(by: check)
    }

    private func refusalOfStatus(of response: HTTPResponse, _ decoder: ResponseDecoder<some Sendable>) -> ErrandError {
        let refusal = ErrandError(.unacceptableStatus, "the server answered \(response.status)")
        if let type = response.refusal(accepting: self.contentTypes ?? decoder.contentTypes) {
            return refusal.caused(by: type)
        }
        do throws(ErrandError) {
            if !response.hasEmptyBody { try (decoder.base as? any SyntaxChecking)?.checkSyntax(of: response) }
            return refusal
        } catch {
            return error.caused(by: refusal)
        }
    }

    private func refusalOfShape(of response: HTTPResponse) -> ErrandError? {
        guard let shape = self.shape, !response.data.isBlankText else { return nil }
        if self.contentTypes == nil, let refusal = response.refusal(accepting: MIMEType.allJSON) { return refusal }
        do throws(ErrandError) {
            try shape.check(JSONValue(parsing: response.data))
            return nil
        } catch {
            return error
        }
    }

    private func firstFailedCheck(_ response: HTTPResponse) -> ErrandError? {
        do {
            for check in self.checks { try check(response) }
            return nil
        } catch {
            return ErrandError(wrapping: error, as: .validationFailed, "the response was not accepted")
        }
    }
}
