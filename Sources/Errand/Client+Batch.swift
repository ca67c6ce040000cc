extension Client {
    /// Makes a batch of calls of different types; its value is a tuple of their values.
    ///
    /// ```swift
    /// let (image, user) = try await client.batch(GetImage("1.jpg"), GetUser("1")).value
    /// ```
    public func batch<each E: Endpoint>(
        _ endpoint: repeat each E, failure: FailurePolicy = .failFast, options: RequestOptions = RequestOptions()
    ) -> BatchRequest<(repeat (each E).Response), (repeat Result<(each E).Response, ErrandError>)> {
        let run = CoordinatorRun(.batch, options: options, environment: self.environment)
        var position = -1
        func makeChild<Child: Endpoint>(_ endpoint: Child) -> Request<Child> {
            position += 1
            return run.makeChild(endpoint, at: position)
        }
        let requests = (repeat makeChild(each endpoint))
        var children: [any BatchChild] = []
        for request in repeat each requests { children.append(request) }
        return BatchRequest(children, failure: failure, run: run) { () async throws(ErrandError) in
            (repeat try await (each requests).settledOutcome.get())
        } outcomes: {
            (repeat await (each requests).settledOutcome)
        }
    }

    /// Makes a batch of calls of one type; its value is the array of their values, in the order of the collection.
    ///
    /// ```swift
    /// let outcomes = await client.batch(of: ids.map(GetUser.init), failure: .collectAll).outcomes
    /// ```
    public func batch<E: Endpoint>(
        of endpoints: some Collection<E>, failure: FailurePolicy = .failFast,
        options: RequestOptions = RequestOptions()
    ) -> BatchRequest<[E.Response], [Result<E.Response, ErrandError>]> {
        let run = CoordinatorRun(.batch, options: options, environment: self.environment)
        let requests = endpoints.enumerated().map { run.makeChild($1, at: $0) }
        return BatchRequest(requests, failure: failure, run: run) { () async throws(ErrandError) in
            var values: [E.Response] = []
            for request in requests { values.append(try await request.settledOutcome.get()) }
            return values
        } outcomes: {
            var outcomes: [Result<E.Response, ErrandError>] = []
            for request in requests { outcomes.append(await request.settledOutcome) }
            return outcomes
        }
    }

    /// Sends any number of calls, `width` at a time, and returns their outcomes one by one on demand.
    ///
    /// Memory holds at most `width` calls, however long the sequence is: a call is taken from it only when fewer than
    /// `width` are in flight or have unread outcomes. Leaving the loop, or cancelling its task, cancels the calls in
    /// flight. Each loop over the result is a separate run.
    ///
    /// - Parameters:
    ///   - endpoints: The calls.
    ///   - width: The maximum number of calls in flight; at least 1. It applies in addition to the limits of the
    ///     ``Client/scheduler``; the smallest limit wins. By default (see ``RequestScheduler/Limits``), of 64 calls to
    ///     one host the transport sends six at a time over HTTP/1.1, and all of them over HTTP/2.
    ///   - order: The order of the outcomes: that of the sequence, or that of completion.
    ///   - failure: The failure policy. A run that stops at the first failure still returns the outcomes of the calls
    ///     already started.
    ///   - options: Options added to those of each call; accessories and user info are those of the run.
    /// - Returns: The outcomes. No call is sent before the first one is requested.
    public func outcomes<S: Sequence & Sendable>(
        of endpoints: S, width: Int = 64, order: BatchOutcomes<S.Element>.Order = .input,
        failure: FailurePolicy = .collectAll,
        options: RequestOptions = RequestOptions()
    ) -> BatchOutcomes<S.Element> where S.Element: Endpoint {
        self.outcomes(width: width, order: order, failure: failure, options: options) {
            var iterator = endpoints.makeIterator()
            return { iterator.next() }
        }
    }

    /// Sends a call for each element of a sequence, `width` at a time, and returns their outcomes one by one.
    ///
    /// Like `outcomes(of:width:order:failure:options:)`, but calls are made on demand: a million numbers become a
    /// million calls without an array of them.
    ///
    /// ```swift
    /// for await outcome in client.outcomes(of: 1...1_000_000, making: { GetItem(number: $0) }) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - elements: The elements to make calls from.
    ///   - width: The maximum number of calls in flight; at least 1. It applies in addition to
    ///     ``RequestScheduler/Limits``; the smallest limit wins.
    ///   - order: The order of the outcomes: that of the sequence, or that of completion.
    ///   - failure: The failure policy. A run that stops at the first failure still returns the outcomes of the calls
    ///     already started.
    ///   - options: Options added to those of each call; accessories and user info are those of the run.
    ///   - make: Makes the call for an element.
    /// - Returns: The outcomes. No call is sent before the first one is requested.
    public func outcomes<S: Sequence & Sendable, E: Endpoint>(
        of elements: S, width: Int = 64, order: BatchOutcomes<E>.Order = .input, failure: FailurePolicy = .collectAll,
        options: RequestOptions = RequestOptions(), making make: @escaping @Sendable (S.Element) -> E
    ) -> BatchOutcomes<E> {
        self.outcomes(width: width, order: order, failure: failure, options: options) {
            var iterator = elements.makeIterator()
            return { iterator.next().map(make) }
        }
    }

    /// Sends calls as they arrive, `width` at a time, and returns their outcomes one by one on demand.
    ///
    /// See `outcomes(of:width:order:failure:options:)` for the parameters.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    public func outcomes<S: AsyncSequence & Sendable>(
        of endpoints: S, width: Int = 64, order: BatchOutcomes<S.Element>.Order = .input,
        failure: FailurePolicy = .collectAll,
        options: RequestOptions = RequestOptions()
    ) -> BatchOutcomes<S.Element> where S.Element: Endpoint, S.Failure == Never {
        self.outcomes(width: width, order: order, failure: failure, options: options) {
            var iterator = endpoints.makeAsyncIterator()
            return { await iterator.next(isolation: #isolation) }
        }
    }

    private func outcomes<E: Endpoint>(
        width: Int, order: BatchOutcomes<E>.Order, failure: FailurePolicy, options: RequestOptions,
        source: @escaping @Sendable () -> (() async -> E?)
    ) -> BatchOutcomes<E> {
        let environment = self.environment
        return BatchOutcomes {
            StreamedBatch(
                source: source, width: max(1, width), order: order, failure: failure,
                run: CoordinatorRun(.batch, options: options, environment: environment))
        }
    }

}
