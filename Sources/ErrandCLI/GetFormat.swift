internal import Errand

/// The format of a result: a line for a person, or a JSON object for a program.
enum GetFormat: Sendable {
    case text
    case json

    func line(_ result: GetResult) -> String {
        switch self {
        case .text: Self.text(result)
        case .json: Self.json(result)
        }
    }

    private static func text(_ result: GetResult) -> String {
        let status = result.status.map(String.init) ?? "---"
        let bytes = result.bytes.map { "\($0) B" } ?? "-"
        let seconds = result.seconds.map { "\(Self.decimal($0)) s" } ?? "-"
        var line = "\(status) \(bytes.padded(to: 12)) \(seconds.padded(to: 10))  \(result.url)"
        if let file = result.file { line += "  in \(file)" }
        switch result.source {
        case nil: break
        case .network, .coalesced: line += "  from the network"
        case .cache(let age): line += "  from the cache, \(Self.decimal(age / .seconds(1))) s old"
        case .revalidated: line += "  from the cache, validated"
        case .stale(let age): line += "  from the cache, stale, \(Self.decimal(age / .seconds(1))) s old"
        }
        if let problem = result.problem { line += "  \(problem.code): \(problem.message)" }
        return Terminal.oneLine(line)
    }

    private static func json(_ result: GetResult) -> String {
        let problem = result.problem.map {
            "{\"code\":\(JSONLine.quoted($0.code)),\"message\":\(JSONLine.quoted($0.message))}"
        }
        var members = [
            "\"url\":\(JSONLine.quoted(result.url))",
            "\"status\":\(result.status.map(String.init) ?? "null")",
            "\"bytes\":\(result.bytes.map(String.init) ?? "null")",
            "\"seconds\":\(result.seconds.map(Self.decimal) ?? "null")",
            "\"error\":\(problem ?? "null")",
        ]
        if let file = result.file { members.append("\"file\":\(JSONLine.quoted(file))") }
        switch result.source {
        case nil: break
        case .network, .coalesced: members.append("\"source\":\"network\"")
        case .revalidated: members.append("\"source\":\"revalidated\"")
        case .cache(let age), .stale(let age):
            let isStale = if case .stale = result.source { true } else { false }
            members.append("\"source\":\"\(isStale ? "stale" : "cache")\"")
            members.append("\"age\":\(Self.decimal(age / .seconds(1)))")
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// Formats seconds with three decimals, independently of the locale.
    private static func decimal(_ seconds: Double) -> String {
        let milliseconds = Int((max(0, seconds) * 1000).rounded())
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}

extension String {
    /// Returns the text padded with leading spaces to a number of characters.
    func padded(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - self.count)) + self
    }
}
