extension Client {
    // MARK: - Pages

    /// Sends a call for the first page of a list, and for each further one that the page before links to.
    ///
    /// The next page is that of the field `Link` with the relation `next` (RFC 8288), as GitHub and many others send it:
    /// the call as it is, with that URL in place of its own. It has to be of the same origin as the call, since what is
    /// secret in that goes along; a list that leads to another origin ends with ``ErrandError/Code/invalidResponse``, and
    /// so does a page that links to itself or to one before it, also by way of a redirection.
    ///
    /// ```swift
    /// for try await page in client.pages(ListIssues()) { show(page) }
    /// ```
    ///
    /// - Parameters:
    ///   - first: The call for the first page.
    ///   - options: What each of the calls adds.
    /// - Returns: The pages; nothing is sent before one is read.
    public func pages<E: Endpoint>(_ first: E, options: RequestOptions = RequestOptions()) -> ResponsePages<E> {
        ResponsePages(
            first: first, options: options.forAll(of: .pages), environment: self.environment, next: ResponsePages.linked
        )
    }

    /// Sends a call for the first page of a list, and for each further one the call that a closure makes.
    ///
    /// For cursors and numbers of pages:
    ///
    /// ```swift
    /// let pages = client.pages(ListOrders()) { page in page.value.cursor.map { ListOrders(cursor: $0) } }
    /// ```
    ///
    /// - Parameters:
    ///   - first: The call for the first page.
    ///   - options: What each of the calls adds.
    ///   - next: Makes the call for the page after one; `nil` when there is none. An error that it throws ends the pages,
    ///     as the cause of one with the code ``ErrandError/Code/callbackFailed`` unless it is an ``ErrandError``.
    /// - Returns: The pages; nothing is sent before one is read.
    public func pages<E: Endpoint>(
        _ first: E, options: RequestOptions = RequestOptions(),
        next: @escaping @Sendable (TypedResponse<E.Response>) throws -> E?
    ) -> ResponsePages<E> {
        ResponsePages(first: first, options: options.forAll(of: .pages), environment: self.environment) { _, page in
            try next(page).map { .call($0) } ?? .end
        }
    }

    // MARK: - Replacing one another

    /// Makes something that sends calls of which only the newest counts, see ``LatestOnly``.
    ///
    /// - Parameter debounce: How long a call waits for a newer one before it is sent; nothing, or less, sends it at once.
    /// - Returns: What to send them with; keep it.
    public func latest(debounce: Duration = .zero) -> LatestOnly {
        LatestOnly(debounce: debounce, self.environment)
    }

    // MARK: - Asking again and again

    /// Sends a call again and again until its value says that something is done.
    ///
    /// ```swift
    /// let export = try await client.poll(GetExport(id), waiting: .every(.seconds(2)), within: .seconds(300)) { $0.isReady }
    /// ```
    ///
    /// What is stored in a cache is not looked at. A `Retry-After` of the response (RFC 9110 §10.2.3) is waited for if it
    /// is longer than the delay. A failed call ends it, after the retries of its ``RetryPolicy``. Cancelling the task
    /// cancels the request or the wait.
    ///
    /// - Parameters:
    ///   - endpoint: The call.
    ///   - backoff: How long to wait between the end of one call and the next.
    ///   - limit: How long all of it may take, by the client's clock.
    ///   - options: What each of the calls adds; its cache use makes no difference.
    ///   - isDone: Whether a value is the one that is waited for. An error that it throws ends the polling, as the cause of
    ///     one with the code ``ErrandError/Code/callbackFailed`` unless it is an ``ErrandError``.
    /// - Returns: The first value that is.
    /// - Throws: ``ErrandError``; with the code ``ErrandError/Code/timedOut`` if there is none within the limit: at once when
    ///   the next delay would end behind that.
    public func poll<E: Endpoint>(
        _ endpoint: E, waiting backoff: Backoff, within limit: Duration, options: RequestOptions = RequestOptions(),
        until isDone: (E.Response) throws -> Bool
    ) async throws(ErrandError) -> E.Response {
        let poll = Poll(endpoint: endpoint, backoff: backoff, limit: limit, options: options)
        return try await poll.run(in: self.environment, until: isDone)
    }
}
