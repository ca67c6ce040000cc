internal import ErrandLocks
internal import ErrandTesting
internal import Foundation
internal import Testing

@testable internal import Errand

/// What is asked one after the other, what the server would answer, and where each response is to come from.
struct HTTPScript: Sendable, CustomTestStringConvertible {
    enum Source: Sendable, Hashable {
        case network
        case cached
        case stale
        case revalidated
        case failed
    }

    struct Step: Sendable {
        var method = "GET"
        var path = "a"
        /// The fields of the request.
        var asking = ""
        var after = 0.0
        /// What the server answers if it is asked; `nil` for a connection that is lost.
        var answer: String? = ""
        var status = 200
        var use = CacheUse.use
        var source: Source
        /// The step whose content comes; the last one of this path that came from the network.
        var content: Int?
        var shownStatus: Int?
        /// Fields that the server sees, and fields that it does not.
        var sent = ""
        var unsent: [String] = []
        /// Fields of the response, and fields that it does not have.
        var shown = ""
        var hidden: [String] = []
    }

    let title: String
    let steps: [Step]

    init(_ title: String, _ steps: Step...) {
        (self.title, self.steps) = (title, steps)
    }

    var testDescription: String { self.title }
}

extension HTTPScript.Step {
    /// A request that the server answers.
    static func asks(
        _ answer: String = "", status: Int = 200, _ asking: String = "", method: String = "GET", path: String = "a",
        after: Double = 0, use: CacheUse = .use, sent: String = "", unsent: [String] = [], shown: String = "",
        hidden: [String] = []
    ) -> HTTPScript.Step {
        HTTPScript.Step(
            method: method, path: path, asking: asking, after: after, answer: answer, status: status, use: use,
            source: .network, sent: sent, unsent: unsent, shown: shown, hidden: hidden)
    }

    /// A request that the cache answers.
    static func gets(
        _ source: HTTPScript.Source = .cached, _ asking: String = "", method: String = "GET", path: String = "a",
        after: Double = 0, answer: String? = "", status: Int = 200, use: CacheUse = .use, of content: Int? = nil,
        as shownStatus: Int? = nil, sent: String = "", shown: String = "", hidden: [String] = []
    ) -> HTTPScript.Step {
        HTTPScript.Step(
            method: method, path: path, asking: asking, after: after, answer: answer,
            status: source == .revalidated && status == 200 ? 304 : status, use: use, source: source, content: content,
            shownStatus: shownStatus, sent: sent, shown: shown, hidden: hidden)
    }
}

/// What the server answers now.
private final class CurrentStep: Sendable {
    let step = Locked<(number: Int, step: HTTPScript.Step)?>(nil)
}

/// Plays scripts over a client with a cache in memory, or one of the caller's.
final class HTTPScriptPlayer: Sendable {
    private let date = FixtureDate()
    private let world: FixtureWorld
    private let current: CurrentStep
    private let policy: CachePolicy
    private let redirects: RedirectPolicy

    init(
        cache: any ResponseCache = MemoryCache(), policy: CachePolicy = .http, redirects: RedirectPolicy = .never,
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) {
        let date = self.date
        let current = CurrentStep()
        self.current = current
        (self.policy, self.redirects) = (policy, redirects)
        self.world = FixtureWorld(isRecording: true) {
            $0.environment.date = { date.now }
            $0.cache = cache
            configure(&$0)
        }
        self.world.transport.route(where: { _ in true }) { _, _ in
            guard let (number, step) = current.step.withLock({ $0 }), let answer = step.answer else {
                return .failure(.connectionLost)
            }
            let body = [204, 304].contains(step.status) ? "" : "content \(number)"
            return StubReply(
                .success(
                    HTTPResponse(head: HTTPCaseText.head(answer, step.status), body: .bytes(Data(body.utf8)))))
        }
    }

    func play(_ script: HTTPScript) async throws {
        var last: [String: Int] = [:]
        for (index, step) in script.steps.enumerated() {
            let number = index + 1
            let words: Comment = "step \(number)"
            self.date.advance(by: step.after)
            self.current.step.withLock { $0 = (number, step) }
            let sentBefore = self.world.transport.receivedCount
            let result = await self.send(step)
            // What is refreshed behind its back is over, too.
            await fixtureUntil { await self.world.client.record.count == 0 }
            await fixtureUntil { self.world.client.environment.cacheRefreshes.withLock { $0.isEmpty } }
            let sent = self.world.transport.received.dropFirst(sentBefore)
            guard case .success(let response) = result else {
                #expect(step.source == .failed, "\(words): \(result)")
                continue
            }
            #expect(step.source == response.source.inScripts, words)
            if step.source == .network { last[step.path] = number }
            self.check(step, number, response, last[step.path], Array(sent))
        }
        await self.world.expectAtRest()
        for id in self.world.recorder.ids(of: .request) {
            #expect(self.world.recorder.hooks(of: id) == FixtureHook.names)
        }
    }

    private func check(
        _ step: HTTPScript.Step, _ number: Int, _ response: TypedResponse<String>, _ last: Int?, _ sent: [HTTPRequest]
    ) {
        let words: Comment = "step \(number)"
        let status = step.shownStatus ?? (step.source == .network ? step.status : nil)
        if let status { #expect(response.head.status.code == status, words) }
        let isEmpty = step.method == "HEAD" || [204, 304].contains(response.head.status.code)
        if response.head.status != .partialContent, let content = step.content ?? last {
            #expect(response.value == (isEmpty ? "" : "content \(content)"), words)
        }
        switch step.source {
        case .cached: #expect(sent.isEmpty, words)
        case .network, .revalidated: #expect(!sent.isEmpty, words)
        case .stale, .failed: break
        }
        for field in HTTPCaseText.fields(step.shown) {
            #expect(response.head.headers[field.name] == field.value, "\(words), \(field.name)")
        }
        for name in step.hidden { #expect(!response.head.headers.contains(name), "\(words), \(name)") }
        for field in HTTPCaseText.fields(step.sent) {
            #expect(sent.first?.headers[field.name] == field.value, "\(words), \(field.name)")
        }
        for name in step.unsent { #expect(sent.last?.headers.contains(name) == false, "\(words), \(name)") }
        #expect(
            (response.cacheStatus?.isHit == true) == [.cached].contains(step.source) || step.source == .stale, words)
    }

    private func send(_ step: HTTPScript.Step) async -> Result<TypedResponse<String>, ErrandError> {
        let call = FixtureText(step.path) {
            $0.method = HTTPMethod(rawValue: step.method)
            $0.headers = HTTPCaseText.fields(step.asking)
            $0.options = $0.options.caching(self.policy)
            $0.options = $0.options.redirects(self.redirects)
            $0.validation = ResponseValidation(statusCodes: 200...599)
            $0.options = $0.options.omittingHeaders(["Accept-Language"])
        }
        do throws(ErrandError) {
            return .success(
                try await self.world.client.response(for: call, options: .cacheUse(step.use)))
        } catch {
            return .failure(error)
        }
    }
}

extension ResponseSource {
    fileprivate var inScripts: HTTPScript.Source {
        switch self {
        case .network, .coalesced: .network
        case .cache: .cached
        case .revalidated: .revalidated
        case .stale: .stale
        }
    }
}
