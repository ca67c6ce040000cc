internal import Foundation

/// Finds the tests that may have the trait `.simulated`, by the tokens of sources.
///
/// A trait cannot prevent other tests from running, and tests cannot be listed with their traits. So all tests are
/// selected in files that contain the word, and in suites that have the trait, wherever they are extended. A test there
/// without the trait is run as usual. A test that gets the trait under another name, in a file without the word, is not
/// found.
enum SimulatedTests {
    private static let word = "simulated"

    /// Returns filters for `swift test` that match the tests; empty if no source has the word.
    static func filters(in plan: Plan) -> [String] {
        plan.targets.flatMap { target in
            target.files.flatMap { path -> [String] in
                guard let data = try? Data(contentsOf: URL(filePath: path)) else { return [] }
                return self.filters(
                    in: Array(data), file: URL(filePath: path).lastPathComponent,
                    module: ModuleSources.module(of: target.name))
            }
        }
    }

    /// Returns the filters for one source.
    ///
    /// The testing library identifies a test by its module, suites, name, file and line:
    /// `AppTests.AccountTests/overdraws()/AccountTests.swift:12:6`.
    static func filters(in source: [UInt8], file: String, module: String) -> [String] {
        let tokens = Lexer.tokens(of: source)
        guard tokens.indices.contains(where: { self.isTrait(tokens, $0) }) else { return [] }
        let suites = tokens.indices.compactMap { self.suite(tokens, $0) }
        return ["^\(module)\\..*/\(self.escaped(file)):"] + suites.map { "^\(module)\\.(.*/)?\(self.escaped($0))/" }
    }

    // MARK: - Private helpers

    private static func isTrait(_ tokens: [Token], _ index: Int) -> Bool {
        index > 0 && tokens[index].name == self.word && tokens[index - 1].is(".")
    }

    /// The name of the suite with the attribute, if the attribute has the trait.
    private static func suite(_ tokens: [Token], _ start: Int) -> String? {
        guard tokens[start].is("@"), start + 2 < tokens.count, tokens[start + 1].is("Suite"),
            tokens[start + 2].is("("), let end = self.close(tokens, start + 2),
            (start..<end).contains(where: { self.isTrait(tokens, $0) })
        else { return nil }
        let kinds = ["struct", "class", "actor", "enum", "extension"]
        guard let kind = (end..<tokens.count).first(where: { index in kinds.contains { tokens[index].is($0) } }),
            kind + 1 < tokens.count
        else { return nil }
        return tokens[kind + 1].name
    }

    private static func close(_ tokens: [Token], _ open: Int) -> Int? {
        var depth = 0
        for index in open..<tokens.count {
            if tokens[index].is("(") { depth += 1 }
            if tokens[index].is(")") { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    private static func escaped(_ text: String) -> String {
        text.map { $0.isLetter || $0.isNumber || $0 == "_" ? String($0) : "\\\($0)" }.joined()
    }
}
