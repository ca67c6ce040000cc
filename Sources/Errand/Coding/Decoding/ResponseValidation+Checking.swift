internal import struct Foundation.Data

extension ResponseValidation {
    /// Returns true if the status, and the content type if types are named, are accepted.
    ///
    /// Most endpoints check no more than this, and it is known before the body.
    func acceptsHead(of response: HTTPResponse) -> Bool {
        guard self.statusCodes.contains(response.status.rawValue) else { return false }
        guard let types = self.contentTypes else { return true }
        return response.refusal(accepting: types) == nil
    }

    /// True if the body has to be checked.
    var looksIntoContent: Bool { self.shape != nil || !self.checks.isEmpty }

    /// Returns the error for a rejected response; `nil` if it is accepted.
    ///
    /// Requirements of the decoder alone are not checked, unless the response is rejected anyway.
    ///
    /// - Complexity: Linear in the size of the body, if it has to be checked.
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
