/// Fields of responses about uploads.
extension HTTPResponse.Head {
    /// The interop version of the draft that the response names.
    var uploadVersion: Int? {
        self.headers.structuredItem("Upload-Draft-Interop-Version")?.integer.flatMap { Int(exactly: $0) }
    }

    /// The location of the upload that the response is about; `nil` where it names none, or one that is less secure than
    /// the URL that it came from.
    func uploadLocation(from url: HTTPURL) -> HTTPURL? {
        let locations = self.headers.values(for: HTTPField.Name.location)
        guard let text = locations.first, !text.isEmpty, locations.allSatisfy({ $0.isExactly(text) }),
            let location = try? url.resolving(received: text),
            location.isSecure || !url.isSecure
        else { return nil }
        return location
    }
}
