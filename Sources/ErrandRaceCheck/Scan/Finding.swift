/// A place in a source that a rule is about.
struct Finding: Hashable, Sendable, Encodable {
    let rule: Rule
    /// The path of the file from the folder of the package, with slashes.
    let file: String
    /// The line, from 1.
    let line: Int
    /// The column in bytes of UTF-8, from 1.
    let column: Int
    /// The declaration that it is in, such as `Counter.value`; ``Outline/topLevel`` where it is in none.
    let declaration: String
    /// The line of the source, without the white space around it.
    let source: String
    /// What else there is to say, such as where the lock is held; of a near miss the whole sentence.
    var note: String?

    /// What is wrong, with the note.
    var message: String {
        guard let note = self.note else { return self.rule.message }
        return self.rule == .nearMiss ? note : "\(self.rule.message) (\(note))"
    }

    /// What an entry of the allow list names.
    var place: Place {
        Place(rule: self.rule, file: self.file, declaration: self.declaration)
    }
}
