extension HTTPURL {
    /// The credential that user and password of the URL make; `nil` where there is no user.
    package var credential: HTTPCredential? {
        guard let user = self.user, !user.isEmpty || self.password?.isEmpty == false else { return nil }
        return .basic(user: user, password: self.password ?? "")
    }
}

extension HTTPRequest {
    /// Takes user and password out of the URL, and sends them as a credential unless there is an `Authorization`.
    ///
    /// What is in a URL would be shown and kept wherever that is (RFC 9110 §4.2.4).
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidRequest`` when they make no credential.
    package mutating func takeUserInfo() throws(ErrandError) {
        guard self.url.hasUserInfo else { return }
        let credential = self.url.credential
        self.url = self.url.withoutUserInfo
        guard let credential, !self.headers.contains(HTTPField.Name.authorization) else { return }
        self.headers.append(name: HTTPField.Name.authorization, value: try credential.fieldValue())
    }
}
