/// The pages of a paginated list, each requested when it is read.
///
/// No request is sent before the first page is read, and no page is requested ahead. Leaving the loop ends the
/// requests.
///
/// ```swift
/// for try await page in client.pages(ListIssues()) { show(page) }
/// ```
public struct ResponsePages<E: Endpoint>: AsyncSequence, Sendable {
    /// The value of one page.
    public typealias Element = E.Response
    /// The error of a page, which ends the sequence.
    public typealias Failure = ErrandError

    /// The next step: a call or a URL of a page, a failure, or the end.
    enum Step: Sendable {
        case call(E)
        case url(HTTPURL, as: E)
        case failure(ErrandError)
        case end
    }

    let first: E
    let options: RequestOptions
    let environment: RequestEnvironment
    let next: @Sendable (E, TypedResponse<E.Response>) throws -> Step

    /// Creates an iterator that requests the pages from the first one.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: self, step: .call(self.first))
    }

    /// Requests one page after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pages: ResponsePages
        fileprivate var step: Step
        /// The URLs of pages, both as named by the server and as requested.
        private var visited: Set<String> = []

        fileprivate init(pages: ResponsePages, step: Step) {
            self.pages = pages
            self.step = step
        }

        /// Returns the next page, or `nil` if there are no more.
        ///
        /// Cancelling the task cancels its request.
        ///
        /// - Throws: ``ErrandError``.
        public mutating func next() async throws(ErrandError) -> E.Response? {
            try await self.next(isolation: nil)
        }

        /// Returns the next page, or `nil` if there are no more; see ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(ErrandError) -> E.Response? {
            // An error ends the sequence.
            let step = self.step
            self.step = .end
            let (call, response): (E, TypedResponse<E.Response>)
            switch step {
            case .end: return nil
            case .failure(let error): throw error
            case .call(let endpoint):
                let terms = self.pages.terms(for: endpoint)
                (call, response) = (endpoint, try await self.pages.send(endpoint, on: terms))
            case .url(let url, let endpoint):
                var terms = self.pages.terms(for: endpoint)
                var request = try endpoint.resolve(under: terms).request
                guard url.origin == request.url.origin else { throw .leadsElsewhere(url, from: request.url) }
                guard self.visited.insert(url.string).inserted else { throw .leadsBack }
                request.url = url
                let page = PageCall(base: endpoint, request: request)
                terms.options = terms.options.merging(page.options)
                (call, response) = (endpoint, try await self.pages.send(page, on: terms))
                let isElsewhere = response.url.string != url.string
                if isElsewhere, self.visited.contains(response.url.string) { throw .leadsBack }
            }
            self.visited.insert(response.url.string)
            do {
                self.step = try self.pages.next(call, response)
            } catch {
                // This page is valid nevertheless.
                self.step = .failure(
                    ErrandError(wrapping: error, as: .callbackFailed, "the next page could not be determined"))
            }
            return response.value
        }
    }

    private func terms(for endpoint: E) -> RequestTerms {
        self.environment.terms(saying: endpoint.options.forEachPage.merging(self.options))
    }

    private func send<Call: Endpoint>(
        _ call: Call, on terms: RequestTerms
    ) async throws(ErrandError) -> TypedResponse<Call.Response> {
        let request = Request(call, on: terms, environment: self.environment)
        await request.send()
        return try await request.settled()
    }
}

extension ResponsePages {
    /// The page that a response links to with the relation `next`.
    static func linked(_ endpoint: E, _ response: TypedResponse<E.Response>) throws(ErrandError) -> Step {
        guard let target = response.head.link(to: "next") else { return .end }
        let url: HTTPURL
        do throws(HTTPURLProblem) {
            url = try response.url.resolving(received: target)
        } catch {
            throw ErrandError(
                .invalidResponse, "a page links to \(HTTPURL.quoted(target)) as its next page: \(error.message)")
        }
        return .url(url, as: endpoint)
    }
}

extension ErrandError {
    fileprivate static var leadsBack: ErrandError {
        ErrandError(.invalidResponse, "a page links to itself or to an earlier page as its next page")
    }

    fileprivate static func leadsElsewhere(_ url: HTTPURL, from first: HTTPURL) -> ErrandError {
        ErrandError(
            .invalidResponse,
            "a page of \(first.origin) links to another origin, \(url.origin), which must not receive the request")
    }
}

/// A call for a page whose URL was named by a server.
struct PageCall<Base: Endpoint>: BodyCall {
    typealias Response = Base.Response

    let base: Base
    let request: HTTPRequest

    /// The cache parameters of the first page would make all pages share one cache entry.
    var options: RequestOptions { RequestOptions().accept(self.base.decoder.accept).withoutCacheParameters() }
    var decoder: ResponseDecoder<Response> { self.base.decoder }

    func customRequest() -> HTTPRequest? { self.request }
    func decode(_ response: HTTPResponse) throws -> Response { try self.base.decode(response) }
}
