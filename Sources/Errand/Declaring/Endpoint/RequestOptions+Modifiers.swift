// Each option is spelled with a leading dot, and followed by others: `.retries(.standard).priority(.high)`.

extension RequestOptions {
    /// Uses a cache policy: whether a response may come from the cache, and for how long.
    ///
    /// A response that goes into a file or a stream is cached by the rules of HTTP only; see ``CachePolicy/http``.
    public static func caching(_ policy: CachePolicy) -> RequestOptions { RequestOptions(.caching(policy)) }

    /// Tells cached responses apart by these parameters, in place of those that are sent.
    ///
    /// For parameters that change each time and select nothing, such as a timestamp. The changes of
    /// ``ProcessingEndpoint/prepare(_:)`` do not count either then. In place of the query of the URL that
    /// ``Endpoint/customRequest()`` makes, if there is one. They belong to one endpoint: in the options of a client, a
    /// batch, a chain or a list of pages they fail its requests with ``ErrandError/Code/invalidConfiguration``.
    public static func cacheParameters(_ parameters: Parameters) -> RequestOptions {
        RequestOptions(.cacheParameters(parameters))
    }

    /// Uses the cache in a certain way, within what the ``CachePolicy`` allows.
    public static func cacheUse(_ use: CacheUse) -> RequestOptions { RequestOptions(.cacheUse(use)) }

    /// Sends the request again after failures, as a policy says; ``RetryPolicy/never`` unless said otherwise.
    public static func retries(_ policy: RetryPolicy) -> RequestOptions { RequestOptions(.retries(policy)) }

    /// Sends the request once more while the response takes too long; ``HedgePolicy/never`` unless said otherwise.
    public static func hedging(_ policy: HedgePolicy) -> RequestOptions { RequestOptions(.hedging(policy)) }

    /// Follows redirections as a policy says.
    public static func redirects(_ policy: RedirectPolicy) -> RequestOptions { RequestOptions(.redirects(policy)) }

    /// Shares one exchange among equal requests that are in flight at once; off unless said otherwise.
    ///
    /// For the method `GET` and other safe ones (RFC 9110 §9.2.1) but `HEAD`, whose bodies are in memory, sent and
    /// received. Requests are equal if a ``CacheKey`` cannot tell them apart, and they have the same credentials,
    /// cookies and options that say the same of the exchange; the total timeout, the priority, the tag and
    /// accessories are each one's own. Interceptors see one request for all of them: each needs an
    /// ``Interceptor/cachePartition`` of its own, or the request is sent by itself. So is one with user info that
    /// interceptors may read, and one with a cache policy where the client has interceptors, cookies or an
    /// authenticator: what they add decides who may have the stored response.
    ///
    /// The exchange goes on while any of them waits, suspended or not.
    public static func coalescing(_ isOn: Bool = true) -> RequestOptions { RequestOptions(.coalescing(isOn)) }

    /// Counts the request for the circuits of its origin, and refuses it while a circuit is open; `nil` does neither.
    ///
    /// Requests with equal breakers share their circuits; those of the client's options are ``Client/circuits``.
    public static func circuitBreaker(_ breaker: CircuitBreaker?) -> RequestOptions {
        RequestOptions(.circuitBreaker(breaker))
    }

    /// Waits for a network, or fails at once where there is none.
    public static func connectivity(_ policy: ConnectivityPolicy) -> RequestOptions {
        RequestOptions(.connectivity(policy))
    }

    /// Uses some networks only, such as none that is cellular.
    public static func networks(_ networks: AllowedNetworks) -> RequestOptions { RequestOptions(.networks(networks)) }

    /// Sets the place among requests that wait for a slot; ``RequestPriority/normal`` unless said otherwise.
    public static func priority(_ priority: RequestPriority) -> RequestOptions { RequestOptions(.priority(priority)) }

    /// Limits how many bytes of bodies move in a second, together with other requests that have the same limit.
    ///
    /// Limits add up: with several of them each one holds.
    public static func bandwidth(_ limit: BandwidthLimit) -> RequestOptions { RequestOptions(.bandwidth(limit)) }

    /// Uses other credentials than those of the client, or none.
    public static func credentials(_ use: CredentialUse) -> RequestOptions { RequestOptions(.credentials(use)) }

    /// Adds interceptors behind those of the wider places.
    public static func interceptors(_ interceptors: [any Interceptor]) -> RequestOptions {
        RequestOptions(.interceptors(interceptors))
    }

    /// Adds accessories behind those of the wider places.
    ///
    /// Those of a batch or chain watch that, and are not passed on to its requests.
    public static func accessories(_ accessories: [any Accessory]) -> RequestOptions {
        RequestOptions(.accessories(accessories))
    }

    /// Resumes an upload where it was interrupted; ``UploadResumption/never`` unless said otherwise.
    public static func uploadResumption(_ resumption: UploadResumption) -> RequestOptions {
        RequestOptions(.uploadResumption(resumption))
    }

    /// Receives the body of the response into memory or into a file; into memory unless said otherwise.
    ///
    /// One file is for one request: in the options of a client, a batch, a chain or a list of pages it fails the
    /// requests with ``ErrandError/Code/invalidConfiguration``, and a folder does not. A response in a file is cached
    /// only if it is small, and by the rules of HTTP; see ``CachePolicy/http``.
    public static func destination(_ destination: ResponseDestination) -> RequestOptions {
        RequestOptions(.destination(destination))
    }

    /// Encodes ``Endpoint/parameters`` in another way than ``ParameterEncoding/standard``.
    public static func parameterEncoding(_ encoding: ParameterEncoding) -> RequestOptions {
        RequestOptions(.parameterEncoding(encoding))
    }

    /// Adds other header fields of Errand's own than ``DefaultHeaders/standard``.
    public static func defaultHeaders(_ headers: DefaultHeaders) -> RequestOptions {
        RequestOptions(.defaultHeaders(headers))
    }

    /// Leaves out header fields of the client's with these names, those of Errand included.
    public static func omittingHeaders(_ names: [String]) -> RequestOptions { RequestOptions(.omittedHeaders(names)) }

    /// Tells servers in a header field how much of the total timeout is left; `nil` does not.
    public static func deadlineHeader(_ header: DeadlineHeader?) -> RequestOptions {
        RequestOptions(.deadlineHeader(header))
    }

    /// Gives the request a name to find and cancel it by, such as that of a screen; others may share it.
    public static func tag(_ tag: String) -> RequestOptions { RequestOptions(.tag(tag)) }

    /// Attaches values that hooks and interceptors find again; of equal keys the narrowest place decides.
    public static func userInfo(_ values: [String: any Sendable]) -> RequestOptions {
        RequestOptions(.userInfo(values))
    }

    /// Sets timeouts, measured by the client's clock; those that are not given are inherited.
    ///
    /// A request that runs out of time fails with ``ErrandError/Code/timedOut`` and a message that says which timeout
    /// it was. One that is redirected, or asked for credentials, makes several attempts; each has timeouts of its own,
    /// but for `authentication` and `total`. A client has 30 seconds for `connect`, and 60 for `idle` and
    /// `authentication`, unless it says otherwise.
    ///
    /// - Parameters:
    ///   - connect: From the slot to a connection that is ready to be sent on, with TLS where it has that, however many
    ///     addresses the host has. Kept where the transport reports its connections
    ///     (``Transport/reportsConnections``); elsewhere `idle` bounds this wait.
    ///   - firstByte: From the slot to the head of the response.
    ///   - idle: The longest time without anything sent or received, from the slot on. The body of a stream is waited
    ///     for only while its reader asks for more. A body that is sent has to give something within it.
    ///   - attempt: For one attempt, from the slot to the end of the body.
    ///   - authentication: For the answer of an ``Authenticator``, which may renew a token or ask a person.
    ///   - total: For the whole request, from its start to its response: waiting for slots and all attempts included.
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

    /// Removes timeouts that wider places have set; all of them if none is named.
    public static func withoutTimeout(_ timeouts: Timeout...) -> RequestOptions {
        RequestOptions().adding(noTimeouts: timeouts)
    }

    /// Sends secrets of the client to every origin that the endpoint names, not to the client's own origins alone; off
    /// unless said otherwise.
    ///
    /// Those are the secret header fields of ``ClientConfiguration/headers``, the additions of path filters, and answers
    /// of the client's ``Authenticator``. Header fields and credentials of the endpoint itself go wherever it goes.
    public static func sendingSecretsToAllOrigins(_ isOn: Bool = true) -> RequestOptions {
        RequestOptions(.sendsSecretsToAllOrigins(isOn))
    }
}

// MARK: - Behind others

extension RequestOptions {
    /// Uses a cache policy: whether a response may come from the cache, and for how long.
    public func caching(_ policy: CachePolicy) -> RequestOptions { self.adding(.caching(policy)) }

    /// Tells cached responses apart by these parameters, in place of those that are sent.
    public func cacheParameters(_ parameters: Parameters) -> RequestOptions {
        self.adding(.cacheParameters(parameters))
    }

    /// Uses the cache in a certain way, within what the ``CachePolicy`` allows.
    public func cacheUse(_ use: CacheUse) -> RequestOptions { self.adding(.cacheUse(use)) }

    /// Sends the request again after failures, as a policy says; ``RetryPolicy/never`` unless said otherwise.
    public func retries(_ policy: RetryPolicy) -> RequestOptions { self.adding(.retries(policy)) }

    /// Sends the request once more while the response takes too long; ``HedgePolicy/never`` unless said otherwise.
    public func hedging(_ policy: HedgePolicy) -> RequestOptions { self.adding(.hedging(policy)) }

    /// Follows redirections as a policy says.
    public func redirects(_ policy: RedirectPolicy) -> RequestOptions { self.adding(.redirects(policy)) }

    /// Shares one exchange among equal requests that are in flight at once; off unless said otherwise.
    public func coalescing(_ isOn: Bool = true) -> RequestOptions { self.adding(.coalescing(isOn)) }

    /// Counts the request for the circuits of its origin, and refuses it while a circuit is open; `nil` does neither.
    public func circuitBreaker(_ breaker: CircuitBreaker?) -> RequestOptions { self.adding(.circuitBreaker(breaker)) }

    /// Waits for a network, or fails at once where there is none.
    public func connectivity(_ policy: ConnectivityPolicy) -> RequestOptions { self.adding(.connectivity(policy)) }

    /// Uses some networks only, such as none that is cellular.
    public func networks(_ networks: AllowedNetworks) -> RequestOptions { self.adding(.networks(networks)) }

    /// Sets the place among requests that wait for a slot; ``RequestPriority/normal`` unless said otherwise.
    public func priority(_ priority: RequestPriority) -> RequestOptions { self.adding(.priority(priority)) }

    /// Limits how many bytes of bodies move in a second, together with other requests that have the same limit.
    public func bandwidth(_ limit: BandwidthLimit) -> RequestOptions { self.adding(.bandwidth(limit)) }

    /// Uses other credentials than those of the client, or none.
    public func credentials(_ use: CredentialUse) -> RequestOptions { self.adding(.credentials(use)) }

    /// Adds interceptors behind those of the wider places.
    public func interceptors(_ interceptors: [any Interceptor]) -> RequestOptions {
        self.adding(.interceptors(interceptors))
    }

    /// Adds accessories behind those of the wider places.
    public func accessories(_ accessories: [any Accessory]) -> RequestOptions { self.adding(.accessories(accessories)) }

    /// Resumes an upload where it was interrupted; ``UploadResumption/never`` unless said otherwise.
    public func uploadResumption(_ resumption: UploadResumption) -> RequestOptions {
        self.adding(.uploadResumption(resumption))
    }

    /// Receives the body of the response into memory or into a file; into memory unless said otherwise.
    public func destination(_ destination: ResponseDestination) -> RequestOptions {
        self.adding(.destination(destination))
    }

    /// Encodes ``Endpoint/parameters`` in another way than ``ParameterEncoding/standard``.
    public func parameterEncoding(_ encoding: ParameterEncoding) -> RequestOptions {
        self.adding(.parameterEncoding(encoding))
    }

    /// Adds other header fields of Errand's own than ``DefaultHeaders/standard``.
    public func defaultHeaders(_ headers: DefaultHeaders) -> RequestOptions { self.adding(.defaultHeaders(headers)) }

    /// Leaves out header fields of the client's with these names, those of Errand included.
    public func omittingHeaders(_ names: [String]) -> RequestOptions { self.adding(.omittedHeaders(names)) }

    /// Tells servers in a header field how much of the total timeout is left; `nil` does not.
    public func deadlineHeader(_ header: DeadlineHeader?) -> RequestOptions { self.adding(.deadlineHeader(header)) }

    /// Gives the request a name to find and cancel it by, such as that of a screen; others may share it.
    public func tag(_ tag: String) -> RequestOptions { self.adding(.tag(tag)) }

    /// Attaches values that hooks and interceptors find again; of equal keys the narrowest place decides.
    public func userInfo(_ values: [String: any Sendable]) -> RequestOptions { self.adding(.userInfo(values)) }

    /// Sets timeouts, measured by the client's clock; those that are not given are inherited.
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

    /// Removes timeouts that wider places have set; all of them if none is named.
    public func withoutTimeout(_ timeouts: Timeout...) -> RequestOptions { self.adding(noTimeouts: timeouts) }

    private func adding(noTimeouts timeouts: [Timeout]) -> RequestOptions {
        (timeouts.isEmpty ? Timeout.allCases : timeouts).reduce(self) { $0.adding(.timeout($1, nil)) }
    }

    /// Sends secrets of the client to every origin that the endpoint names, not to the client's own origins alone; off
    /// unless said otherwise.
    public func sendingSecretsToAllOrigins(_ isOn: Bool = true) -> RequestOptions {
        self.adding(.sendsSecretsToAllOrigins(isOn))
    }

    /// Gives the request another name than that of its endpoint's type: for one that was made from a record.
    package func name(_ name: String) -> RequestOptions { self.adding(.name(name)) }

    /// Sends this `Accept` in place of the decoder's: for a call that is made of another one.
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

    /// Tells cached responses apart by the parameters that are sent.
    func withoutCacheParameters() -> RequestOptions { self.adding(.cacheParameters(nil)) }
}
