/// Words for numbers.
enum Words {
    /// Writes a number and what is counted.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
