internal import Errand

/// The URLs that a command line names, each of them checked before anything is sent.
struct GetTargets: Sendable {
    let urls: [String]

    /// Reads arguments, and the standard input where one of them is `-`.
    init(_ arguments: [String], readInput: () -> String?) throws(UsageError) {
        var urls: [String] = []
        for (index, argument) in arguments.enumerated() {
            if argument == "-" {
                urls += try Self.read(readInput)
            } else {
                try Self.check(argument, from: arguments.count > 1 ? "URL \(index + 1): " : "")
                urls.append(argument)
            }
        }
        guard !urls.isEmpty else { throw .get("no URL given") }
        self.urls = urls
    }

    private static func read(_ readInput: () -> String?) throws(UsageError) -> [String] {
        var urls: [String] = []
        var number = 0
        while let line = readInput() {
            number += 1
            let url = line.trimmingSpaces()
            guard !url.isEmpty else { continue }
            try Self.check(url, from: "line \(number) of the standard input: ")
            urls.append(url)
        }
        return urls
    }

    private static func check(_ url: String, from source: String) throws(UsageError) {
        do throws(ErrandError) {
            _ = try HTTPURL(url)
        } catch {
            throw .get(source + error.message)
        }
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate func trimmingSpaces() -> String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
