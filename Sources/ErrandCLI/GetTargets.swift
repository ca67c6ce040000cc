internal import Errand

internal import struct Foundation.URL

/// The calls of a command line, in the order of their URLs.
///
/// The URLs of the command line are checked before anything is sent. Those of the standard input are read as requests
/// can be started; an invalid one fails alone.
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
    /// The folder for bodies.
    var folder: OutputFolder?
    /// The setting for resuming interrupted downloads.
    var resumption = DownloadResumption.never
    /// The required digest of bodies.
    var sha256: String?

    /// Parses arguments; `-` stands for the standard input.
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

    /// The number of calls; `nil` if they come from the standard input.
    var count: Int? {
        self.readsInput ? nil : self.sources.count
    }

    /// True if the standard input is read.
    var readsInput: Bool {
        self.sources.contains { if case .input = $0 { true } else { false } }
    }

    /// The call, if the command line has exactly one URL.
    var single: Fetch? {
        guard self.sources.count == 1, case .url(let url) = self.sources[0] else { return nil }
        return self.fetch(url, file: nil)
    }

    /// The URL for a text: `http` is the default scheme before a host, as in `localhost:8080/x`, and before a user and
    /// password if there is a port.
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
        // So that the error is about the actual mistake, and not about the host as a scheme.
        return hasPort ? "http://\(text)" : text
    }

    private func fetch(_ url: String, file: URL?) -> Fetch {
        Fetch(
            url: url, request: self.request, file: file, caching: self.caching, resumption: self.resumption,
            sha256: self.sha256, isForFile: file != nil)
    }

    // MARK: - Iteration

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

        /// Returns the next call; `nil` after the last, and after an interruption.
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
    /// The error that there is no URL.
    static var noURL: UsageError { .get("no URL given") }
}

extension String {
    /// The text without leading and trailing white space.
    fileprivate func trimmingSpaces() -> String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
