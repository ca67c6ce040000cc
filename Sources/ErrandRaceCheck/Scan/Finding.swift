/// A violation of a rule in a source.
struct Finding: Hashable, Sendable, Encodable {
    let rule: Rule
    /// The path of the file relative to the package's folder, with slashes.
    let file: String
    /// The line, from 1.
    let line: Int
    /// The column in bytes of UTF-8, from 1.
    let column: Int
    /// The enclosing declaration, such as `Counter.value`; ``Outline/topLevel`` if there is none.
    let declaration: String
    /// The line of the source, without surrounding white space.
    let source: String
    /// Additional information, such as the line at which the lock is held; for a near miss, the whole message.
    var note: String?

    /// The message, with the note.
    var message: String {
        guard let note = self.note else { return self.rule.message }
        return self.rule == .nearMiss ? note : "\(self.rule.message) (\(note))"
    }

    /// The place that an entry of the allow list names.
    var place: Place {
        Place(rule: self.rule, file: self.file, declaration: self.declaration)
    }
}
