internal import Errand

/// The options that have the names and the meaning of curl's.
extension GetOptions {
    static let curlOptions: [OptionDescription<GetOptions>] = [
        OptionDescription("-X", value: "METHOD", "the method, as --method") {
            (options, text) throws(UsageError) in options.method = try Self.method(text)
        },
        OptionDescription("-H", value: "\"NAME: VALUE\"", "send this header field, as --header; \"NAME:\" sends none") {
            (options, text) throws(UsageError) in try Self.apply(header: text, to: &options)
        },
        OptionDescription("-d", value: "DATA", "POST this as form data; @PATH reads a file; may be repeated") {
            options, text in options.data.append(text)
        },
        OptionDescription("-i", flag: "print the head of the response before its body") { $0.includesHead = true },
        OptionDescription("-o", value: "FILE", "write the body to this file; - is the standard output") {
            (options, text) throws(UsageError) in
            guard !text.isEmpty else { throw UsageError(message: "-o needs the name of a file") }
            options.outputFile = text
        },
    ]

    /// Without a value, the field is omitted; `NAME;` sends one with an empty value.
    private static func apply(header text: String, to options: inout GetOptions) throws(UsageError) {
        let isEmptyField = text.utf8.last == UInt8(ascii: ";") && !text.utf8.contains(UInt8(ascii: ":"))
        let field = try Self.header(isEmptyField ? String(text.unicodeScalars.dropLast()) + ":" : text)
        if field.value.isEmpty && !isEmptyField {
            options.omittedHeaders.append(field.name)
        } else {
            options.headers.append(name: field.name, value: field.value)
        }
    }
}
