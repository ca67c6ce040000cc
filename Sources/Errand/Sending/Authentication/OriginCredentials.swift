/// The credentials that are sent without a challenge, by origin.
package struct OriginCredentials: Sendable {
    /// The values of `Authorization`, by origin.
    private var values: [String: String] = [:]
    /// The error for an invalid credential, with which every request fails.
    package private(set) var problem: ErrandError?

    /// Creates the credentials of a configuration; `nil` if there are none.
    ///
    /// - Parameters:
    ///   - credential: The credential for the origin of the base URL.
    ///   - baseURL: The base URL.
    ///   - others: Credentials by origin.
    ///   - urls: URLs whose user and password are the credential for their origin, unless another one is given.
    package init?(
        _ credential: HTTPCredential?, baseURL: String?, others: [String: HTTPCredential], urls: [HTTPURL] = []
    ) {
        let urls = urls.filter { $0.credential != nil }
        guard credential != nil || !others.isEmpty || !urls.isEmpty else { return nil }
        do throws(ErrandError) {
            for url in urls { if let credential = url.credential { try self.set(credential, url.string) } }
            for (origin, credential) in others { try self.set(credential, origin) }
            guard let credential else { return }
            guard let baseURL else {
                throw ErrandError(.invalidRequest, "a credential for the base URL is given, but no base URL")
            }
            try self.set(credential, baseURL)
        } catch {
            self.problem = error
        }
    }

    /// Returns the value of `Authorization` for a URL, if there is a credential for its origin.
    package func value(for url: HTTPURL) -> String? {
        self.values[url.origin]
    }

    private mutating func set(_ credential: HTTPCredential, _ origin: String) throws(ErrandError) {
        self.values[try HTTPURL(origin).origin] = try credential.fieldValue()
    }
}
