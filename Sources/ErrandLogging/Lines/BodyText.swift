internal import Errand

/// The text of a body in a line.
enum BodyText {
    /// The beginning of a text, without secrets; `isWhole` if it is all of it.
    case text(String, isWhole: Bool)
    /// The reason why no text is shown, in one or two words.
    case none(String)

    /// Determines the text to show; a form is shown only if `showsForms` is set, without its secrets.
    init(_ body: LogBody, _ redaction: Redaction, showsForms: Bool) {
        switch body.place {
        case .file: self = .none("file")
        case .stream: self = .none("stream")
        case .memory: self = Self.content(body, redaction, showsForms)
        }
    }

    private static func content(_ body: LogBody, _ redaction: Redaction, _ showsForms: Bool) -> BodyText {
        guard !body.isCoded, let type = body.contentType.flatMap(MIMEType.init), type.type != "multipart" else {
            return .none("not shown")
        }
        let isWhole = Int64(body.beginning.count) == body.size
        guard let text = Self.text(body.beginning, isWhole: isWhole) else { return .none("not shown") }
        if type.matches(.formURLEncoded) {
            return showsForms ? .text(redaction.items(text), isWhole: isWhole) : .none("form")
        }
        if type.isJSON {
            let shown = redaction.beginning(ofJSON: text.utf8)
            return .text(String(decoding: shown, as: UTF8.self), isWhole: isWhole)
        }
        return type.isText ? .text(redaction.text(text), isWhole: isWhole) : .none("not shown")
    }

    /// Decodes the bytes; if they are only a beginning, a partial character at the end is left out.
    private static func text(_ bytes: [UInt8], isWhole: Bool) -> String? {
        for dropped in 0...(isWhole ? 0 : 3) {
            if let text = String(validUTF8: bytes.dropLast(dropped)) { return text }
        }
        return nil
    }
}

extension MIMEType {
    fileprivate var isJSON: Bool {
        self.matches(.json) || self.subtype.endsExactly(with: "+json") || self.subtype.endsExactly(with: "json")
            || self.subtype == "json-seq"
    }

    fileprivate var isText: Bool {
        self.type == "text" || self.subtype == "xml" || self.subtype.endsExactly(with: "+xml")
            || ["javascript", "graphql", "yaml", "toml"].contains(self.subtype)
    }
}
