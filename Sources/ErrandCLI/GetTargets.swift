internal import Errand

internal import struct Foundation.URL

/// The calls that a command line names, in the order of their URLs.
///
/// The URLs of the command line are checked before anything is sent. Those of the standard input are read when there is
/// room for one more; one that is no URL fails by itself.
struct GetTargets: AsyncSequence, Sendable {
    typealias Element = Fetch
    typealias Failure = Never

    fileprivate enum Source {
        case url(String)
        case input
    }

    private let sources: [Source]
    private let request: GetRequest
    private let caching: CachePolicy
    private let input: InputLines
    private let interruption: Interruption
    /// The folder that bodies go into.
    var folder: OutputFolder?
    /// Whether downloads go on where earlier ones were interrupted.
    var resumption = DownloadResumption.never
    /// The digest that bodies must have.
    var sha256: String?

    /// Reads arguments; `-` stands for the standard input.
    init(
        _ arguments: [String], sending request: GetRequest, caching: CachePolicy, input: InputLines,
        until interruption: Interruption
    ) throws(UsageError) {
        guard !arguments.isEmpty else { throw .noURL }
        var sources: [Source] = []
        for (index, argument) in arguments.enumerated() {
            guard argument != "-" else {
                sources.append(.input)
                continue
            }
            let url = Self.url(argument)
            do throws(ErrandError) {
                _ = try HTTPURL(url)
            } catch {
                throw .get((arguments.count > 1 ? "URL \(index + 1): " : "") + error.message)
            }
            sources.append(.url(url))
        }
        self.sources = sources
        self.request = request
        self.caching = caching
        self.input = input
        self.interruption = interruption
    }

    /// How many there are; `nil` where the standard input says so.
    var count: Int? {
        self.readsInput ? nil : self.sources.count
    }

    /// Whether the standard input is read.
    var readsInput: Bool {
        self.sources.contains { if case .input = $0 { true } else { false } }
    }

    /// The call, if the command line names one URL and nothing else.
    var single: Fetch? {
        guard self.sources.count == 1, case .url(let url) = self.sources[0] else { return nil }
        return self.fetch(url, file: nil)
    }

    /// The URL that a text stands for: `http` goes without saying before a host, as in `localhost:8080/x`; before user
    /// and password, if there is a port.
    static func url(_ text: String) -> String {
        let authority = text.part(before: "/", "?", "#")
        let host = authority.parts(at: "@", omittingEmpty: false).last ?? ""
        let parts = host.parts(at: ":", maxSplits: 1, omittingEmpty: false)
        let isHost = authority.startsExactly(with: "[") || (parts.count == 1 && host == authority)
        let isPort =
            parts.last.map { !$0.isEmpty && $0.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } }
            ?? false
        let hasPort = parts.count == 2 && !parts[0].isEmpty && isPort
        guard isHost || hasPort else { return text }
        if let url = try? HTTPURL("http://\(text)") { return url.string }
        // So that what is wrong is told, and not that the host is no scheme.
        return hasPort ? "http://\(text)" : text
    }

    private func fetch(_ url: String, file: URL?) -> Fetch {
        Fetch(
            url: url, request: self.request, file: file, caching: self.caching, resumption: self.resumption,
            sha256: self.sha256, isForFile: file != nil)
    }

    // MARK: - Iterating

    func makeAsyncIterator() -> Iterator {
        Iterator(targets: self, sources: self.sources[...], folder: self.folder)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let targets: GetTargets
        fileprivate var sources: ArraySlice<Source>
        fileprivate var folder: OutputFolder?

        mutating func next() async -> Fetch? {
            await self.next(isolation: #isolation)
        }

        /// The next call; `nil` after the last, and after an interruption.
        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Fetch? {
            while self.targets.interruption.reason == nil, let source = self.sources.first {
                switch source {
                case .url(let url):
                    self.sources.removeFirst()
                    return self.fetch(url)
                case .input:
                    guard let line = await self.targets.input.next() else {
                        self.sources.removeFirst()
                        continue
                    }
                    let text = line.trimmingSpaces()
                    if !text.isEmpty { return self.fetch(GetTargets.url(text)) }
                }
            }
            return nil
        }

        private mutating func fetch(_ url: String) -> Fetch {
            self.targets.fetch(url, file: self.folder?.file(for: url))
        }
    }
}

extension UsageError {
    /// There is nothing to do.
    static var noURL: UsageError { .get("no URL given") }
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
