/// Response fields about uploads.
extension HTTPResponse.Head {
    /// The interop version of the draft in the response.
    var uploadVersion: Int? {
        self.headers.structuredItem("Upload-Draft-Interop-Version")?.integer.flatMap { Int(exactly: $0) }
    }

    /// Returns the upload URL in the response; `nil` if there is none, or if it is less secure than the response's URL.
    func uploadLocation(from url: HTTPURL) -> HTTPURL? {
        let locations = self.headers.values(for: HTTPField.Name.location)
        guard let text = locations.first, !text.isEmpty, locations.allSatisfy({ $0.isExactly(text) }),
            let location = try? url.resolving(received: text),
            location.isSecure || !url.isSecure
        else { return nil }
        return location
    }
}
