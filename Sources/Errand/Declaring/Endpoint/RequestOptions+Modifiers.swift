// Each option starts with a leading dot, and can be chained: `.retries(.standard).priority(.high)`.

extension RequestOptions {
    /// Uses a cache policy, which sets whether and how long cached responses may be used.
    ///
    /// A response to a file or a stream is cached under the rules of HTTP only; see ``CachePolicy/http``.
    public static func caching(_ policy: CachePolicy) -> RequestOptions { RequestOptions(.caching(policy)) }

    /// Uses these parameters for the cache key, in place of those that are sent.
    ///
    /// For parameters that change each time and do not select a response, such as a timestamp. The changes of
    /// ``ProcessingEndpoint/prepare(_:)`` are then not part of the key either. With ``Endpoint/customRequest()``, the
    /// parameters replace the query of its URL. They belong to one endpoint: in the options of a client, a batch, a
    /// chain or a list of pages, they fail its requests with ``ErrandError/Code/invalidConfiguration``.
    public static func cacheParameters(_ parameters: Parameters) -> RequestOptions {
        RequestOptions(.cacheParameters(parameters))
    }

    /// Sets the use of the cache for the request, within the limits of the ``CachePolicy``.
    public static func cacheUse(_ use: CacheUse) -> RequestOptions { RequestOptions(.cacheUse(use)) }

    /// Retries the request after failures, by a policy; defaults to ``RetryPolicy/never``.
    public static func retries(_ policy: RetryPolicy) -> RequestOptions { RequestOptions(.retries(policy)) }

    /// Sends the request once more if the response takes too long; defaults to ``HedgePolicy/never``.
    public static func hedging(_ policy: HedgePolicy) -> RequestOptions { RequestOptions(.hedging(policy)) }

    /// Sets the redirect policy.
    public static func redirects(_ policy: RedirectPolicy) -> RequestOptions { RequestOptions(.redirects(policy)) }

    /// Shares one exchange among equal requests in flight.
    ///
    /// Off by default.
    ///
    /// Applies to `GET` and other safe methods (RFC 9110 §9.2.1) except `HEAD`, if both bodies are in memory. Requests
    /// are equal if they have the same ``CacheKey``, credentials, cookies, and options that affect the exchange; each
    /// keeps its own total timeout, priority, tag and accessories. Interceptors see one request for all of them: each
    /// interceptor needs its own ``Interceptor/cachePartition``, or the request is sent separately. Also sent
    /// separately is a request with user info that interceptors may read, and one with a cache policy if the client has
    /// interceptors, cookies or an authenticator, since their additions determine for whom the response may be stored.
    ///
    /// The exchange continues while at least one of the requests waits for it, suspended or not.
    public static func coalescing(_ isOn: Bool = true) -> RequestOptions { RequestOptions(.coalescing(isOn)) }

    /// Counts the request in the circuits of its origin, and rejects it while a circuit is open; `nil` disables both.
    ///
    /// Requests with equal breakers share their circuits; those of the client's options are ``Client/circuits``.
    public static func circuitBreaker(_ breaker: CircuitBreaker?) -> RequestOptions {
        RequestOptions(.circuitBreaker(breaker))
    }

    /// Sets the behavior without a network: wait for one, or fail at once.
    public static func connectivity(_ policy: ConnectivityPolicy) -> RequestOptions {
        RequestOptions(.connectivity(policy))
    }

    /// Restricts the request to some networks, for example to those that are not cellular.
    public static func networks(_ networks: AllowedNetworks) -> RequestOptions { RequestOptions(.networks(networks)) }

    /// Sets the priority in the queue for slots; defaults to ``RequestPriority/normal``.
    public static func priority(_ priority: RequestPriority) -> RequestOptions { RequestOptions(.priority(priority)) }

    /// Limits the transfer rate of bodies, together with all requests that have the same limit.
    ///
    /// Limits add up: if there are several, all of them apply.
    public static func bandwidth(_ limit: BandwidthLimit) -> RequestOptions { RequestOptions(.bandwidth(limit)) }

    /// Replaces the client's credentials, or uses none.
    public static func credentials(_ use: CredentialUse) -> RequestOptions { RequestOptions(.credentials(use)) }

    /// Adds interceptors after those of wider scopes.
    public static func interceptors(_ interceptors: [any Interceptor]) -> RequestOptions {
        RequestOptions(.interceptors(interceptors))
    }

    /// Adds accessories after those of wider scopes.
    ///
    /// The accessories of a batch or chain observe the batch or chain, not its requests.
    public static func accessories(_ accessories: [any Accessory]) -> RequestOptions {
        RequestOptions(.accessories(accessories))
    }

    /// Sets the resumption of interrupted uploads; defaults to ``UploadResumption/never``.
    public static func uploadResumption(_ resumption: UploadResumption) -> RequestOptions {
        RequestOptions(.uploadResumption(resumption))
    }

    /// Receives the body of the response in memory or in a file; defaults to memory.
    ///
    /// A file is for one request: in the options of a client, a batch, a chain or a list of pages it fails the requests
    /// with ``ErrandError/Code/invalidConfiguration``; a folder does not. A response in a file is cached only if it is
    /// small, and under the rules of HTTP; see ``CachePolicy/http``.
    public static func destination(_ destination: ResponseDestination) -> RequestOptions {
        RequestOptions(.destination(destination))
    }

    /// Sets the encoding of ``Endpoint/parameters``; defaults to ``ParameterEncoding/standard``.
    public static func parameterEncoding(_ encoding: ParameterEncoding) -> RequestOptions {
        RequestOptions(.parameterEncoding(encoding))
    }

    /// Sets the header fields that Errand adds; defaults to ``DefaultHeaders/standard``.
    public static func defaultHeaders(_ headers: DefaultHeaders) -> RequestOptions {
        RequestOptions(.defaultHeaders(headers))
    }

    /// Omits the client's header fields with these names, including those that Errand adds.
    public static func omittingHeaders(_ names: [String]) -> RequestOptions { RequestOptions(.omittedHeaders(names)) }

    /// Sends the remaining total timeout in a header field; `nil` omits the field.
    public static func deadlineHeader(_ header: DeadlineHeader?) -> RequestOptions {
        RequestOptions(.deadlineHeader(header))
    }

    /// Sets a name to find and cancel requests by, such as that of a screen; requests can share a tag.
    public static func tag(_ tag: String) -> RequestOptions { RequestOptions(.tag(tag)) }

    /// Attaches values that hooks and interceptors can read; of equal keys, that of the narrowest scope wins.
    public static func userInfo(_ values: [String: any Sendable]) -> RequestOptions {
        RequestOptions(.userInfo(values))
    }

    /// Sets timeouts, measured by the client's clock.
    ///
    /// Timeouts that are not given are inherited.
    ///
    /// A request that exceeds a timeout fails with ``ErrandError/Code/timedOut`` and a message that names the timeout.
    /// Redirects and challenges cause several attempts, each with its own timeouts, except `authentication` and
    /// `total`. The defaults of a client are 30 seconds for `connect`, and 60 for `idle` and `authentication`.
    ///
    /// - Parameters:
    ///   - connect: From the slot to a connection that is ready for sending, including TLS, however many addresses the
    ///     host has. Measured if the transport reports its connections (``Transport/reportsConnections``); otherwise
    ///     `idle` limits this phase.
    ///   - firstByte: From the slot to the head of the response.
    ///   - idle: The longest time without bytes sent or received, from the slot on. For a stream, it runs only while
    ///     the reader waits for bytes. A request body has to produce bytes within it.
    ///   - attempt: For one attempt, from the slot to the end of the body.
    ///   - authentication: For an ``Authenticator`` to return, which may renew a token or ask the user.
    ///   - total: For the whole request, from its start to its response, including the wait for slots and all attempts.
    /// - Returns: The options. A timeout of zero or less fails the request with
    ///   ``ErrandError/Code/invalidConfiguration``.
    public static func timeout(
        connect: Duration? = nil, firstByte: Duration? = nil, idle: Duration? = nil, attempt: Duration? = nil,
        authentication: Duration? = nil, total: Duration? = nil
    ) -> RequestOptions {
        RequestOptions().timeout(
            connect: connect, firstByte: firstByte, idle: idle, attempt: attempt, authentication: authentication,
            total: total)
    }

    /// Removes timeouts set by wider scopes; all of them if none is named.
    public static func withoutTimeout(_ timeouts: Timeout...) -> RequestOptions {
        RequestOptions().adding(noTimeouts: timeouts)
    }

    /// Sends the client's secrets to every origin that the endpoint names, not only to the client's own.
    ///
    /// Off by default.
    ///
    /// These secrets are the secret header fields of ``ClientConfiguration/headers``, the additions of path filters,
    /// and the credentials from the client's ``Authenticator``. The endpoint's own header fields and credentials are
    /// always sent.
    public static func sendingSecretsToAllOrigins(_ isOn: Bool = true) -> RequestOptions {
        RequestOptions(.sendsSecretsToAllOrigins(isOn))
    }
}

// MARK: - Behind others

extension RequestOptions {
    /// Uses a cache policy, which sets whether and how long cached responses may be used.
    public func caching(_ policy: CachePolicy) -> RequestOptions { self.adding(.caching(policy)) }

    /// Uses these parameters for the cache key, in place of those that are sent.
    public func cacheParameters(_ parameters: Parameters) -> RequestOptions {
        self.adding(.cacheParameters(parameters))
    }

    /// Sets the use of the cache for the request, within the limits of the ``CachePolicy``.
    public func cacheUse(_ use: CacheUse) -> RequestOptions { self.adding(.cacheUse(use)) }

    /// Retries the request after failures, by a policy; defaults to ``RetryPolicy/never``.
    public func retries(_ policy: RetryPolicy) -> RequestOptions { self.adding(.retries(policy)) }

    /// Sends the request once more if the response takes too long; defaults to ``HedgePolicy/never``.
    public func hedging(_ policy: HedgePolicy) -> RequestOptions { self.adding(.hedging(policy)) }

    /// Sets the redirect policy.
    public func redirects(_ policy: RedirectPolicy) -> RequestOptions { self.adding(.redirects(policy)) }

    /// Shares one exchange among equal requests in flight.
    ///
    /// Off by default.
    public func coalescing(_ isOn: Bool = true) -> RequestOptions { self.adding(.coalescing(isOn)) }

    /// Counts the request in the circuits of its origin, and rejects it while a circuit is open; `nil` disables both.
    public func circuitBreaker(_ breaker: CircuitBreaker?) -> RequestOptions { self.adding(.circuitBreaker(breaker)) }

    /// Sets the behavior without a network: wait for one, or fail at once.
    public func connectivity(_ policy: ConnectivityPolicy) -> RequestOptions { self.adding(.connectivity(policy)) }

    /// Restricts the request to some networks, for example to those that are not cellular.
    public func networks(_ networks: AllowedNetworks) -> RequestOptions { self.adding(.networks(networks)) }

    /// Sets the priority in the queue for slots; defaults to ``RequestPriority/normal``.
    public func priority(_ priority: RequestPriority) -> RequestOptions { self.adding(.priority(priority)) }

    /// Limits the transfer rate of bodies, together with all requests that have the same limit.
    public func bandwidth(_ limit: BandwidthLimit) -> RequestOptions { self.adding(.bandwidth(limit)) }

    /// Replaces the client's credentials, or uses none.
    public func credentials(_ use: CredentialUse) -> RequestOptions { self.adding(.credentials(use)) }

    /// Adds interceptors after those of wider scopes.
    public func interceptors(_ interceptors: [any Interceptor]) -> RequestOptions {
        self.adding(.interceptors(interceptors))
    }

    /// Adds accessories after those of wider scopes.
    public func accessories(_ accessories: [any Accessory]) -> RequestOptions { self.adding(.accessories(accessories)) }

    /// Sets the resumption of interrupted uploads; defaults to ``UploadResumption/never``.
    public func uploadResumption(_ resumption: UploadResumption) -> RequestOptions {
        self.adding(.uploadResumption(resumption))
    }

    /// Receives the body of the response in memory or in a file; defaults to memory.
    public func destination(_ destination: ResponseDestination) -> RequestOptions {
        self.adding(.destination(destination))
    }

    /// Sets the encoding of ``Endpoint/parameters``; defaults to ``ParameterEncoding/standard``.
    public func parameterEncoding(_ encoding: ParameterEncoding) -> RequestOptions {
        self.adding(.parameterEncoding(encoding))
    }

    /// Sets the header fields that Errand adds; defaults to ``DefaultHeaders/standard``.
    public func defaultHeaders(_ headers: DefaultHeaders) -> RequestOptions { self.adding(.defaultHeaders(headers)) }

    /// Omits the client's header fields with these names, including those that Errand adds.
    public func omittingHeaders(_ names: [String]) -> RequestOptions { self.adding(.omittedHeaders(names)) }

    /// Sends the remaining total timeout in a header field; `nil` omits the field.
    public func deadlineHeader(_ header: DeadlineHeader?) -> RequestOptions { self.adding(.deadlineHeader(header)) }

    /// Sets a name to find and cancel requests by, such as that of a screen; requests can share a tag.
    public func tag(_ tag: String) -> RequestOptions { self.adding(.tag(tag)) }

    /// Attaches values that hooks and interceptors can read; of equal keys, that of the narrowest scope wins.
    public func userInfo(_ values: [String: any Sendable]) -> RequestOptions { self.adding(.userInfo(values)) }

    /// Sets timeouts, measured by the client's clock.
    ///
    /// Timeouts that are not given are inherited.
    public func timeout(
        connect: Duration? = nil, firstByte: Duration? = nil, idle: Duration? = nil, attempt: Duration? = nil,
        authentication: Duration? = nil, total: Duration? = nil
    ) -> RequestOptions {
        let timeouts: [(Timeout, Duration?)] = [
            (.connect, connect), (.firstByte, firstByte), (.idle, idle), (.attempt, attempt),
            (.authentication, authentication), (.total, total),
        ]
        return timeouts.reduce(self) { options, next in
            next.1 == nil ? options : options.adding(.timeout(next.0, next.1))
        }
    }

    /// Removes timeouts set by wider scopes; all of them if none is named.
    public func withoutTimeout(_ timeouts: Timeout...) -> RequestOptions { self.adding(noTimeouts: timeouts) }

    private func adding(noTimeouts timeouts: [Timeout]) -> RequestOptions {
        (timeouts.isEmpty ? Timeout.allCases : timeouts).reduce(self) { $0.adding(.timeout($1, nil)) }
    }

    /// Sends the client's secrets to every origin that the endpoint names, not only to the client's own.
    ///
    /// Off by default.
    public func sendingSecretsToAllOrigins(_ isOn: Bool = true) -> RequestOptions {
        self.adding(.sendsSecretsToAllOrigins(isOn))
    }

    /// Sets a name that replaces that of the endpoint's type: for a request that is made from a record.
    package func name(_ name: String) -> RequestOptions { self.adding(.name(name)) }

    /// Sets an `Accept` that replaces the decoder's: for a call that wraps another one.
    package func accept(_ value: String) -> RequestOptions { self.adding(.accept(value)) }

    /// Sets one timeout.
    package func timeout(_ timeout: Timeout, _ limit: Duration) -> RequestOptions {
        self.adding(.timeout(timeout, limit))
    }

    /// Sets all timeouts, and removes those that are `nil`.
    package static func timeouts(_ timeouts: Timeouts) -> RequestOptions { RequestOptions().timeouts(timeouts) }

    /// Sets all timeouts, and removes those that are `nil`.
    package func timeouts(_ timeouts: Timeouts) -> RequestOptions {
        Timeout.allCases.reduce(self) { $0.adding(.timeout($1, timeouts[$1])) }
    }

    /// Uses the parameters that are sent for the cache key.
    func withoutCacheParameters() -> RequestOptions { self.adding(.cacheParameters(nil)) }
}
