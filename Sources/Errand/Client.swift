internal import ErrandMachines

public import struct Foundation.URL

/// Sends requests; the entry point of the library.
///
/// Make one for each API, keep it, and share it freely between tasks.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/")
/// let user = try await client.send(GetUser(userID: "1"))
/// ```
///
/// A client that is no longer referenced finishes its requests and is then deallocated with its transport. To end it
/// immediately, call ``shutdown()``.
public final class Client: Sendable {
    /// The requests, batches and chains in flight, to inspect or cancel.
    public var record: RequestRecord { self.environment.record }
    /// The scheduler, which grants requests their slots: inspect it, pause it, or change its limits.
    public var scheduler: RequestScheduler { self.environment.scheduler }
    /// The circuits of the origins, to inspect or set; `nil` if the client's options have no ``CircuitBreaker``.
    public var circuits: CircuitBreaker.Circuits? { self.environment.circuits(for: self.environment.currentOptions) }

    package let environment: RequestEnvironment
    private let ownedTransport: OwnedTransport?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that paths of endpoints are resolved against: ``RequestDefaults/BaseURLs/main``. If it
    ///     cannot be parsed, each request that needs it fails with ``ErrandError/Code/invalidURL``.
    ///   - configure: Changes the other settings.
    public convenience init(baseURL: String? = nil, _ configure: (inout Client.Configuration) -> Void = { _ in }) {
        var configuration = Client.Configuration(baseURL: baseURL)
        configure(&configuration)
        self.init(configuration)
    }

    /// Creates a client with a base URL of Foundation's type.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that paths of endpoints are resolved against: ``RequestDefaults/BaseURLs/main``.
    ///   - configure: Changes the other settings.
    public convenience init(baseURL: URL, _ configure: (inout Client.Configuration) -> Void = { _ in }) {
        self.init(baseURL: baseURL.absoluteString, configure)
    }

    /// Creates a client with a configuration.
    public init(_ configuration: Client.Configuration) {
        if let transport = configuration.transport {
            self.ownedTransport = nil
            self.environment = RequestEnvironment(configuration, transport: transport)
        } else {
            let owned = OwnedTransport.platform(configuration.network)
            self.ownedTransport = owned
            self.environment = RequestEnvironment(configuration, transport: owned)
        }
    }

    // MARK: - One request

    /// Sends a call and returns its value.
    ///
    /// Cancelling the task cancels the request. When this returns or throws, all hooks have run.
    ///
    /// - Throws: ``ErrandError``.
    public func send<E: Endpoint>(
        _ endpoint: E, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> E.Response {
        try await self.request(endpoint, options: options).sendForValue()
    }

    /// Sends a call and returns its value with the head, source and timings of the response.
    ///
    /// Cancelling the task cancels the request. When this returns or throws, all hooks have run.
    ///
    /// - Throws: ``ErrandError``.
    public func response<E: Endpoint>(
        for endpoint: E, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> TypedResponse<E.Response> {
        let request = self.request(endpoint, options: options)
        await request.send()
        return try await request.settled()
    }

    /// Makes a request to start, watch, share and cancel.
    public func request<E: Endpoint>(_ endpoint: E, options: RequestOptions = RequestOptions()) -> Request<E> {
        Request(endpoint, options: options, environment: self.environment)
    }

    // MARK: - What requests are made from

    /// The defaults from which requests that start now are made, besides their endpoints.
    public var defaults: RequestDefaults { self.environment.defaults.plan.defaults }

    /// Changes the defaults for requests that start later; requests in flight keep theirs.
    ///
    /// Can be called from any thread. Concurrent changes are all applied, one after another.
    ///
    /// - Parameter change: Changes a copy of the defaults. It is called again if another change intervened, so it
    ///   should have no other effects.
    public func updateDefaults(_ change: (inout RequestDefaults) -> Void) {
        self.environment.defaults.update(change)
    }

    /// Discards credentials obtained from the authenticator; requests that start later are sent without them.
    ///
    /// A ``TokenAuthenticator`` drops its token, as with ``TokenAuthenticator/logOut()``, but without waiting for the
    /// store: if the store throws, the next request delivers a notice.
    ///
    /// Call this when a user logs out, or when another one logs in; it can be called from any thread. Requests in
    /// flight continue with the credentials they have or have already asked for, but do not ask again: if one is
    /// rejected after this call, the 401 is its response. <doc:Connections> lists the other steps of logging out.
    public func forgetCredentials() {
        self.environment.refresher?.forget()
    }

    /// Returns the request that an endpoint resolves to now, with the credential and cookies that would be sent with
    /// it.
    ///
    /// Interceptors have not run. The request lacks values made for each request as it is sent, such as a digest, and
    /// values that have to be waited for: a token that is not loaded yet, and the cookies of a ``CookieStore`` other
    /// than ``CookieJar``. ``RequestActivity/Event/requestHead(_:)`` reports the request as sent. Printing the request
    /// shows no secrets, but its header fields contain them.
    ///
    /// - Throws: ``ErrandError`` if no request can be made.
    public func httpRequest(
        for endpoint: some Endpoint, options: RequestOptions = RequestOptions()
    ) throws(ErrandError) -> HTTPRequest {
        let terms = self.environment.terms(saying: endpoint.options.merging(options))
        return self.environment.preview(try endpoint.resolve(under: terms).request, under: terms)
    }

    /// Returns the request that an endpoint resolves to now, before interceptors, cookies and credentials.
    package func resolvedRequest(
        for endpoint: some Endpoint, saying said: RequestOptions
    ) throws(ErrandError) -> ResolvedRequest {
        try endpoint.resolve(under: self.environment.terms(saying: said))
    }

    /// Returns a POSIX shell command that sends the endpoint's current request with `curl`.
    ///
    /// Like ``HTTPRequest/curlCommand(showingSecrets:secretHeaders:)`` of ``httpRequest(for:options:)``, with the
    /// ``ClientConfiguration/Credentials/secretHeaders`` of the client.
    ///
    /// - Throws: ``ErrandError`` if no request can be made.
    public func curlCommand(
        for endpoint: some Endpoint, options: RequestOptions = RequestOptions(), showingSecrets: Bool = false
    ) throws(ErrandError) -> String {
        try self.httpRequest(for: endpoint, options: options)
            .curlCommand(showingSecrets: showingSecrets, secretHeaders: self.environment.secretHeaders)
    }

    // MARK: - Suspending

    /// Suspends everything in flight (``Request/suspend()``), and gives requests that start later no slot, until
    /// ``resumeAll()``.
    ///
    /// The total timeout of requests that start later keeps running. For an app that goes to the background, or a user
    /// who needs the network for something else.
    public func suspendAll() {
        self.environment.admission.pause()
        self.record.setAllSuspended(true)
    }

    /// Resumes everything after ``suspendAll()``, including requests that were suspended individually or by tag.
    public func resumeAll() {
        self.record.setAllSuspended(false)
        self.environment.admission.resume()
    }

    // MARK: - Beginning anew

    /// Closes the connections and discards what is known about hosts; requests in flight continue.
    ///
    /// Call this when a user logs out, or when the machine's network changes. Later requests use new connections, with
    /// TLS settings that are read again; existing connections close when they are no longer in use. A transport given
    /// in the configuration is not affected. Credentials are kept (see ``forgetCredentials()``), and so are cached
    /// responses.
    ///
    /// - Parameter removingCookies: Pass true to remove the cookies too.
    public func reset(removingCookies: Bool = false) async {
        self.ownedTransport?.renew()
        self.environment.admission.forgetHosts()
        if removingCookies { await self.environment.cookies?.removeAll() }
    }

    // MARK: - Ending

    /// Cancels all requests, batches and chains in flight.
    ///
    /// When this returns, all of them have been cancelled; they end, and run their hooks, on their own.
    public func cancelAll() async {
        await self.record.cancelAll()
    }

    /// Ends the client: requests in flight and requests started later fail with ``ErrandError/Code/clientShutDown``.
    ///
    /// When this returns, all of them have been asked to stop. A transport given in the configuration is not affected;
    /// the client's own is shut down. Further calls have no effect.
    public func shutdown() async {
        guard self.environment.close() else { return }
        await self.record.close(.clientShutDown)
        self.environment.deadlines.shutdown()
        self.environment.wakeAll()
        self.environment.finishCircuits()
        self.ownedTransport?.shutdown()
    }

    /// Ends the client when the requests in flight have ended, or after a time limit.
    ///
    /// Requests started from now on fail with ``ErrandError/Code/clientShutDown``, except those of batches and chains
    /// in flight. Requests that have not ended within the limit are stopped as by ``shutdown()``; if the calling task
    /// is cancelled, they are stopped at once. When this returns, the last `didStop` hooks may still be running.
    ///
    /// - Parameter limit: The time limit, by the client's clock.
    /// - Returns: The entries that had not ended in time and were stopped.
    @discardableResult
    public func shutdown(drainingFor limit: Duration) async -> [RequestRecord.Entry] {
        guard !self.environment.isClosed else { return [] }
        let drained = self.record.drain(.clientShutDown)
        let deadline = self.environment.deadlines.set(
            limit, after: self.environment.timebase.now, stopping: drained, because: .totalTimedOut(limit))
        _ = await drained.wait()
        self.environment.deadlines.clear(deadline)
        let left = await self.record.undrained()
        await self.shutdown()
        return left
    }
}

extension Client: CustomReflectable {
    /// A mirror that shows the defaults without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["defaults": self.defaults], displayStyle: .class) }
}

extension Client {
    /// The settings of a client.
    public typealias Configuration = ClientConfiguration
}
