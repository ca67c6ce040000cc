internal import Errand

/// The options about the request.
///
/// Error messages never repeat a value that may be a secret.
extension GetOptions {
    static let requestOptions: [OptionDescription<GetOptions>] = [
        OptionDescription("--method", value: "METHOD", "the method (default POST with a body, else GET)") {
            (options, text) throws(UsageError) in options.method = try Self.method(text)
        },
        OptionDescription("--header", value: "\"NAME: VALUE\"", "send this header field; may be repeated") {
            (options, text) throws(UsageError) in
            let field = try Self.header(text)
            options.headers.append(name: field.name, value: field.value)
        },
        OptionDescription("--query", value: "NAME=VALUE", "add this, encoded, to the query; may be repeated") {
            (options, text) throws(UsageError) in
            let item = try Self.item(text, of: "--query")
            options.query.append(item.name, .string(item.value))
        },
        OptionDescription("--form", value: "NAME=VALUE", "send a form with this field; may be repeated") {
            (options, text) throws(UsageError) in
            let item = try Self.item(text, of: "--form")
            options.form.append(.field(name: item.name, value: item.value))
        },
        OptionDescription("--file", value: "FIELD=@PATH", "send a form with this file; may be repeated") {
            (options, text) throws(UsageError) in options.form.append(try Self.file(text))
        },
        OptionDescription("--json-body", value: "TEXT", "send this JSON; @PATH reads it from a file") {
            options, text in options.jsonBody = text
        },
        OptionDescription("--basic", value: "USER:PASSWORD", "authenticate with a user and a password (Basic)") {
            (options, text) throws(UsageError) in options.credential = try Self.credential(text, of: "--basic").0
        },
        OptionDescription("--digest", value: "USER:PASSWORD", "authenticate if a server asks for Digest (RFC 7616)") {
            (options, text) throws(UsageError) in options.digest = try Self.credential(text, of: "--digest").1
        },
    ]

    // MARK: - Head

    static func method(_ text: String) throws(UsageError) -> HTTPMethod {
        let method = HTTPMethod(rawValue: text)
        guard method.isValid else { throw UsageError(message: "--method cannot use \"\(text)\": it is not a token") }
        // CONNECT asks a proxy for a tunnel, and has no path.
        guard text != "CONNECT" else { throw UsageError(message: "--method cannot be CONNECT") }
        return method
    }

    /// Parses `Name: value`.
    static func header(_ text: String) throws(UsageError) -> HTTPField {
        guard let parts = text.cut(at: UInt8(ascii: ":")) else {
            throw UsageError(message: "--header needs a name, a colon and a value")
        }
        guard HTTPMethod(rawValue: parts.0).isValid else {
            throw UsageError(message: "--header cannot use \"\(parts.0)\" as a name")
        }
        let isClean = parts.1.unicodeScalars.allSatisfy { $0 == "\t" || ($0 >= " " && $0 != "\u{7F}") }
        guard isClean else { throw UsageError(message: "the value of the header \(parts.0) has a control character") }
        return HTTPField(name: parts.0, value: parts.1)
    }

    private static func credential(
        _ text: String, of option: String
    ) throws(UsageError) -> (HTTPCredential, DigestLogin) {
        guard let parts = text.cut(at: UInt8(ascii: ":")) else {
            throw UsageError(message: "\(option) needs a user, a colon and a password")
        }
        let credential = HTTPCredential.basic(user: parts.0, password: parts.1)
        do throws(ErrandError) {
            _ = try credential.fieldValue()
        } catch {
            throw UsageError(message: "\(option): \(error.message)")
        }
        return (credential, DigestLogin(user: parts.0, password: parts.1))
    }

    // MARK: - Items

    /// Parses `NAME=VALUE`.
    private static func item(_ text: String, of option: String) throws(UsageError) -> (name: String, value: String) {
        guard let parts = text.cut(at: UInt8(ascii: "=")), !parts.0.isEmpty else {
            throw UsageError(message: "\(option) needs a name, an equals sign and a value")
        }
        return parts
    }

    /// Parses `FIELD=@PATH`.
    private static func file(_ text: String) throws(UsageError) -> FormItem {
        guard let parts = text.cut(at: UInt8(ascii: "=")), !parts.0.isEmpty, parts.1.utf8.first == UInt8(ascii: "@"),
            parts.1.utf8.count > 1
        else { throw UsageError(message: "--file needs a name, an equals sign, an @ and the path of a file") }
        return .file(name: parts.0, path: String(parts.1.unicodeScalars.dropFirst()))
    }
}

extension String {
    /// Splits the text at the first such byte of ASCII; `nil` if there is none.
    fileprivate func cut(at byte: UInt8) -> (String, String)? {
        guard let place = self.utf8.firstIndex(of: byte) else { return nil }
        return (String(self[..<place]), String(self[self.utf8.index(after: place)...]))
    }
}
