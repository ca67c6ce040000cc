internal import Errand

internal import struct Foundation.URL

/// The endpoint for one request, whatever its response is.
struct Fetch: Endpoint {
    /// The size of a body whose content is not kept.
    struct Response: Sendable {
        /// The size in bytes.
        let size: Int64
    }

    let url: String
    let request: GetRequest
    /// The file for the body; `nil` only counts its bytes.
    let file: URL?
    let caching: CachePolicy
    var resumption = DownloadResumption.never
    var sha256: String?
    /// True if a status of 400 or above is an error, so that an error page is not written to a file.
    var isForFile = false
    /// Records the HTTP version, if requested.
    var versionNote: VersionNote?

    var path: EndpointPath { .url(self.url) }
    /// Returns the URL for output: without user and password, and without the values of secret query items and the
    /// fragment unless secrets are to be shown.
    func shownURL(showingSecrets: Bool) -> String {
        guard showingSecrets else { return Redaction.standard.reference(self.url) }
        return (try? HTTPURL(self.url))?.withoutUserInfo.string ?? self.url
    }
    var method: HTTPMethod { self.request.method }
    var headers: HTTPFields {
        var headers = self.request.headers
        // A file is stored as published, also when its body is streamed.
        let isOmitted = self.request.omittedHeaders.contains { $0.asciiLowercased() == "accept-encoding" }
        if self.isForFile, !isOmitted, !headers.contains(HTTPField.Name.acceptEncoding) {
            headers.append(name: HTTPField.Name.acceptEncoding, value: "identity")
        }
        return headers
    }
    var parameters: Parameters { self.request.query }
    var options: RequestOptions {
        var options = RequestOptions.caching(self.caching).omittingHeaders(self.request.omittedHeaders)
            .parameterEncoding(ParameterEncoding(.url, query: ParameterEncoding.QueryStyle(order: .given)))
        if let credential = self.request.credential { options = options.credentials(.own(credential)) }
        if let versionNote { options = options.interceptors([versionNote]) }
        guard let file else { return options }
        return options.destination(.file(file, resuming: self.resumption, sha256: self.sha256))
    }
    var body: RequestBody { self.request.body }
    var validation: ResponseValidation {
        guard self.isForFile else { return .any }
        // A partial download cannot be continued with any other status.
        return self.resumption == .never ? ResponseValidation(statusCodes: 0..<400, contentTypes: [.any]) : .success
    }

    func decode(_ response: HTTPResponse) throws -> Response {
        guard case .file(let file) = response.body else { return Response(size: Int64(response.data.count)) }
        return Response(size: try HTTPRequest.Body.file(file).length() ?? 0)
    }
}
