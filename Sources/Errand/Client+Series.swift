extension Client {
    // MARK: - Pages

    /// Sends a call for the first page of a list, and one for each further page that the previous page links to.
    ///
    /// The next page is the URL in the `Link` field with the relation `next` (RFC 8288), as sent by GitHub and many
    /// others. Its call is the first call with that URL. The URL must have the origin of the first call, because the
    /// call's secrets are sent along: a list that leads to another origin ends with
    /// ``ErrandError/Code/invalidResponse``. So does a page that links to itself or to an earlier page, directly or by
    /// a redirect.
    ///
    /// ```swift
    /// for try await page in client.pages(ListIssues()) { show(page) }
    /// ```
    ///
    /// - Parameters:
    ///   - first: The call for the first page.
    ///   - options: Options added to those of each call.
    /// - Returns: The pages. No call is sent before the first page is requested.
    public func pages<E: Endpoint>(_ first: E, options: RequestOptions = RequestOptions()) -> ResponsePages<E> {
        ResponsePages(
            first: first, options: options.forAll(of: .pages), environment: self.environment, next: ResponsePages.linked
        )
    }

    /// Sends a call for the first page of a list, and for each further page the call that a closure makes.
    ///
    /// For cursors and page numbers:
    ///
    /// ```swift
    /// let pages = client.pages(ListOrders()) { page in page.value.cursor.map { ListOrders(cursor: $0) } }
    /// ```
    ///
    /// - Parameters:
    ///   - first: The call for the first page.
    ///   - options: Options added to those of each call.
    ///   - next: Makes the call for the page after the given one, or returns `nil` after the last page. An error that
    ///     it throws ends the pages: an ``ErrandError`` as it is, any other as the cause of an error with the code
    ///     ``ErrandError/Code/callbackFailed``.
    /// - Returns: The pages. No call is sent before the first page is requested.
    public func pages<E: Endpoint>(
        _ first: E, options: RequestOptions = RequestOptions(),
        next: @escaping @Sendable (TypedResponse<E.Response>) throws -> E?
    ) -> ResponsePages<E> {
        ResponsePages(first: first, options: options.forAll(of: .pages), environment: self.environment) { _, page in
            try next(page).map { .call($0) } ?? .end
        }
    }

    // MARK: - Replacing one another

    /// Makes a sender whose newer calls replace older ones, see ``LatestOnly``.
    ///
    /// - Parameter debounce: The time for which a call waits for a newer one before it is sent; zero or less sends it
    ///   at once.
    /// - Returns: The sender; keep it.
    public func latest(debounce: Duration = .zero) -> LatestOnly {
        LatestOnly(debounce: debounce, self.environment)
    }

    // MARK: - Asking again and again

    /// Sends a call repeatedly until its value meets a condition.
    ///
    /// ```swift
    /// let export = try await client.poll(GetExport(id), waiting: .every(.seconds(2)), within: .seconds(300)) { $0.isReady }
    /// ```
    ///
    /// Cached responses are not used. If the `Retry-After` of a response (RFC 9110 §10.2.3) is longer than the delay,
    /// it is waited for instead. A call that fails, after the retries of its ``RetryPolicy``, ends the polling.
    /// Cancelling the task cancels the request or the wait.
    ///
    /// - Parameters:
    ///   - endpoint: The call.
    ///   - backoff: The delays between the end of one call and the next.
    ///   - limit: The time limit for the whole polling, by the client's clock.
    ///   - options: Options added to those of each call; their cache use is ignored.
    ///   - isDone: Returns true for the value to return. An error that it throws ends the polling: an ``ErrandError``
    ///     as it is, any other as the cause of an error with the code ``ErrandError/Code/callbackFailed``.
    /// - Returns: The first value for which `isDone` returns true.
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/timedOut`` if there is no such value within the
    ///   limit. It is thrown at once when the next delay would exceed the limit.
    public func poll<E: Endpoint>(
        _ endpoint: E, waiting backoff: Backoff, within limit: Duration, options: RequestOptions = RequestOptions(),
        until isDone: (E.Response) throws -> Bool
    ) async throws(ErrandError) -> E.Response {
        let poll = Poll(endpoint: endpoint, backoff: backoff, limit: limit, options: options)
        return try await poll.run(in: self.environment, until: isDone)
    }
}
