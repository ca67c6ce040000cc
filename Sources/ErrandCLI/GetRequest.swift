internal import Errand

internal import struct Foundation.Data
internal import class Foundation.FileHandle
internal import struct Foundation.URL

/// The request for each URL, validated before anything is sent.
struct GetRequest: Sendable {
    let method: HTTPMethod
    let headers: HTTPFields
    let omittedHeaders: [String]
    let credential: HTTPCredential?
    let query: Parameters
    let body: RequestBody

    /// Creates the request from options; checks files, and reads JSON and data.
    init(_ options: GetOptions, input: FileHandle) throws(UsageError) {
        try Self.checkHeaders(options)
        let body = try Self.body(options, input)
        self.method = try Self.method(options.method, hasBody: body != nil)
        self.headers = options.headers
        self.omittedHeaders = options.omittedHeaders
        self.credential = options.credential
        self.query = options.query
        self.body = body ?? .none
    }

    // MARK: - Head

    private static func checkHeaders(_ options: GetOptions) throws(UsageError) {
        guard options.credential == nil || !options.headers.contains(HTTPField.Name.authorization) else {
            throw .get("--basic and a header Authorization cannot go together")
        }
        guard
            options.digest == nil
                || options.credential == nil && !options.headers.contains(HTTPField.Name.authorization)
        else {
            throw .get("--digest cannot go with --basic or a header Authorization")
        }
        guard !options.hasFiles || !options.headers.contains(HTTPField.Name.contentType) else {
            throw .get("--file and a header Content-Type cannot go together: the form has its own")
        }
    }

    /// Returns the method; with a body it must be one whose requests have content (RFC 9110 §9.3.2, §9.3.8).
    private static func method(_ method: HTTPMethod?, hasBody: Bool) throws(UsageError) -> HTTPMethod {
        guard let method else { return hasBody ? .post : .get }
        guard !hasBody || (method != .head && method != .trace) else {
            throw .get("--method \(method) cannot go with a body")
        }
        return method
    }

    // MARK: - Body

    private static func body(_ options: GetOptions, _ input: FileHandle) throws(UsageError) -> RequestBody? {
        guard options.data.isEmpty else {
            guard options.form.isEmpty, options.jsonBody == nil else {
                throw .get("-d cannot go with --form, --file or --json-body: a request has one body")
            }
            return .bytes(try Self.data(options.data, input), contentType: .formURLEncoded)
        }
        guard let json = options.jsonBody else { return try Self.form(options) }
        guard options.form.isEmpty else {
            throw .get("--json-body cannot go with --form or --file: a request has one body")
        }
        return .bytes(try JSONText.read(json), contentType: .json)
    }

    private static func form(_ options: GetOptions) throws(UsageError) -> RequestBody? {
        guard !options.form.isEmpty else { return nil }
        return options.hasFiles ? .multipart(try Self.parts(options.form)) : Self.fields(options.form)
    }

    /// Joins the pieces with `&`; line breaks and zero bytes are removed from those of files and of the standard input.
    private static func data(_ pieces: [String], _ input: FileHandle) throws(UsageError) -> Data {
        var data = Data()
        for (index, piece) in pieces.enumerated() {
            if index > 0 { data.append(UInt8(ascii: "&")) }
            if piece == "@-" {
                data += try JSONText.content(of: input, "-d @-").withoutLineBreaks
            } else if piece.utf8.first == UInt8(ascii: "@") {
                let path = String(piece.unicodeScalars.dropFirst())
                data += try JSONText.content(of: path, "-d @\(path)").withoutLineBreaks
            } else {
                data += Data(piece.utf8)
            }
        }
        return data
    }

    private static func fields(_ items: [GetOptions.FormItem]) -> RequestBody {
        var parameters = Parameters()
        for case .field(let name, let value) in items { parameters.append(name, .string(value)) }
        return .form(parameters, style: ParameterEncoding.QueryStyle(order: .given, spaces: .plus))
    }

    private static func parts(_ items: [GetOptions.FormItem]) throws(UsageError) -> MultipartForm {
        var form = MultipartForm()
        for item in items {
            switch item {
            case .field(let name, let value): form.append(name, value)
            case .file(let name, let path): form.append(name, file: try Self.readableFile(path))
            }
        }
        return form
    }

    private static func readableFile(_ path: String) throws(UsageError) -> URL {
        let file = URL(filePath: path, directoryHint: .notDirectory)
        do throws(ErrandError) {
            _ = try HTTPRequest.Body.file(file).length()
        } catch {
            throw .get("--file \(path): \(error.message)")
        }
        return file
    }
}

extension GetOptions {
    /// True if the form has files, so that it is a multipart form.
    fileprivate var hasFiles: Bool {
        self.form.contains { if case .file = $0 { true } else { false } }
    }
}

extension Data {
    fileprivate var withoutLineBreaks: Data { self.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0 } }
}
