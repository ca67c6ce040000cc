extension HTTPURL {
    /// The credential for the user and password of the URL; `nil` if there is no user.
    package var credential: HTTPCredential? {
        guard let user = self.user, !user.isEmpty || self.password?.isEmpty == false else { return nil }
        return .basic(user: user, password: self.password ?? "")
    }
}

extension HTTPRequest {
    /// Removes user and password from the URL, and sends them as a credential unless there is an `Authorization`.
    ///
    /// In the URL, they would be logged and stored with it (RFC 9110 §4.2.4).
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/invalidRequest`` if they are not a valid credential.
    package mutating func takeUserInfo() throws(ErrandError) {
        guard self.url.hasUserInfo else { return }
        let credential = self.url.credential
        self.url = self.url.withoutUserInfo
        guard let credential, !self.headers.contains(HTTPField.Name.authorization) else { return }
        self.headers.append(name: HTTPField.Name.authorization, value: try credential.fieldValue())
    }
}
