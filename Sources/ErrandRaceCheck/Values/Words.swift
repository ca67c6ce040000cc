/// Formats numbers with nouns.
enum Words {
    /// Formats a number with a singular or plural noun.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
