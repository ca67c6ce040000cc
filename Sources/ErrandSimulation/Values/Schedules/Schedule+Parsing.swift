extension Simulation.Schedule {
    /// Parses a text: an optional seed, then `-` or the departures.
    static func parse(_ text: String) -> Content {
        var words = text.split(whereSeparator: \.isWhitespace)
        var seed: UInt64?
        if let first = words.first, first.hasPrefix("#") {
            seed = self.seed(first)
            guard seed != nil else { return .invalid(text: text, problem: "`\(first)` is not a seed such as `#42`") }
            words.removeFirst()
        }
        guard !words.isEmpty else {
            return .invalid(text: text, problem: "it has no entries; the default order is written `-`")
        }
        return words == ["-"] ? .valid(departures: [], seed: seed) : self.departures(words, seed: seed, of: text)
    }

    // MARK: - Private helpers

    private struct Key: Hashable {
        let source: TaskPath
        let steps: Int
    }

    private static func departures(_ words: [Substring], seed: UInt64?, of text: String) -> Content {
        var (departures, keys) = ([] as [Departure], [] as Set<Key>)
        for word in words {
            guard let departure = Departure(word) else {
                return .invalid(text: text, problem: "`\(word)` is not an entry such as `b6>f` or `b6>f.2`")
            }
            guard keys.insert(Key(source: departure.source, steps: departure.steps)).inserted else {
                return .invalid(text: text, problem: "`\(word)` is for a step that already has an entry")
            }
            departures.append(departure)
        }
        return .valid(departures: departures, seed: seed)
    }

    private static func seed(_ word: Substring) -> UInt64? {
        let digits = word.dropFirst()
        return digits.allSatisfy { $0.isASCII && $0.isNumber } ? UInt64(digits) : nil
    }
}
