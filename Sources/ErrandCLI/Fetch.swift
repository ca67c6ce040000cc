internal import Errand

internal import struct Foundation.URL

/// The call that sends one request, whatever it answers.
struct Fetch: Endpoint {
    /// The size of a body, of which nothing else is kept.
    struct Response: Sendable {
        /// The number of bytes it has.
        let size: Int64
    }

    let url: String
    let request: GetRequest
    /// Where the body goes; nothing to count its bytes only.
    let file: URL?
    let caching: CachePolicy
    var resumption = DownloadResumption.never
    var sha256: String?
    /// Whether a status from 400 on is an error: what says that something went wrong is not what a file is for.
    var isForFile = false
    /// Where the version of HTTP is noted, if someone wants to know.
    var versionNote: VersionNote?

    var path: EndpointPath { .url(self.url) }
    /// The URL as it is printed: without user and password, and unless secrets are to be shown without the values of
    /// secret query items and the fragment.
    func shownURL(showingSecrets: Bool) -> String {
        guard showingSecrets else { return Redaction.standard.reference(self.url) }
        return (try? HTTPURL(self.url))?.withoutUserInfo.string ?? self.url
    }
    var method: HTTPMethod { self.request.method }
    var headers: HTTPFields {
        var headers = self.request.headers
        // A file is wanted as it was published, also where its body is streamed into it.
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
        // What is there in part belongs to no other status.
        return self.resumption == .never ? ResponseValidation(statusCodes: 0..<400, contentTypes: [.any]) : .success
    }

    func decode(_ response: HTTPResponse) throws -> Response {
        guard case .file(let file) = response.body else { return Response(size: Int64(response.data.count)) }
        return Response(size: try HTTPRequest.Body.file(file).length() ?? 0)
    }
}
