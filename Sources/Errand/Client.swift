internal import ErrandMachines

public import struct Foundation.URL

/// Sends the requests of an app: the door to everything else.
///
/// Make one for each API, keep it, and share it freely between tasks.
///
/// ```swift
/// let client = Client(baseURL: "https://api.example.com/v1/")
/// let user = try await client.send(GetUser(userID: "1"))
/// ```
///
/// A client that nobody holds any more lets its requests finish and then goes away with its transport; one that must
/// end now is told to ``shutdown()``.
public final class Client: Sendable {
    /// What is in flight: look at it, or cancel it.
    public var record: RequestRecord { self.environment.record }
    /// Who may use the network next: look at it, pause it, change its limits.
    public var scheduler: RequestScheduler { self.environment.scheduler }
    /// The circuits of the origins, to look at and to set; `nil` if the client's options have no ``CircuitBreaker``.
    public var circuits: CircuitBreaker.Circuits? { self.environment.circuits(for: self.environment.currentOptions) }

    package let environment: RequestEnvironment
    private let ownedTransport: OwnedTransport?

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that paths of endpoints are resolved against: ``RequestDefaults/BaseURLs/main``; one that
    ///     cannot be parsed fails each request that needs it with ``ErrandError/Code/invalidURL``.
    ///   - configure: Sets up everything else.
    public convenience init(baseURL: String? = nil, _ configure: (inout Client.Configuration) -> Void = { _ in }) {
        var configuration = Client.Configuration(baseURL: baseURL)
        configure(&configuration)
        self.init(configuration)
    }

    /// Creates a client whose base URL is one of Foundation's.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that paths of endpoints are resolved against: ``RequestDefaults/BaseURLs/main``.
    ///   - configure: Sets up everything else.
    public convenience init(baseURL: URL, _ configure: (inout Client.Configuration) -> Void = { _ in }) {
        self.init(baseURL: baseURL.absoluteString, configure)
    }

    /// Creates a client with a configuration that is at hand.
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

    /// Sends a call and answers its value.
    ///
    /// Cancelling the task cancels the request. When this returns or throws, all hooks have run.
    ///
    /// - Throws: ``ErrandError``.
    public func send<E: Endpoint>(
        _ endpoint: E, options: RequestOptions = RequestOptions()
    ) async throws(ErrandError) -> E.Response {
        try await self.request(endpoint, options: options).sendForValue()
    }

    /// Sends a call and answers its value with the head of the response, its source and its timings.
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

    /// What requests that start now are made from, besides their endpoints.
    public var defaults: RequestDefaults { self.environment.defaults.plan.defaults }

    /// Changes what requests are made from, for all that start later; those that run keep what they started with.
    ///
    /// May be called from anywhere, at any time. Changes that come at once are all made, one after another.
    ///
    /// - Parameter change: Makes the change to a copy. Called again when another change came in between, so that it
    ///   should do nothing else.
    public func updateDefaults(_ change: (inout RequestDefaults) -> Void) {
        self.environment.defaults.update(change)
    }

    /// Forgets what the authenticator answered: requests that start later carry what they carried before.
    ///
    /// A ``TokenAuthenticator`` drops its token, as ``TokenAuthenticator/logOut()`` does, but without waiting for the store:
    /// what that throws is told in a notice of the next request.
    ///
    /// For a user who logs out, or another one who logs in. May be called from anywhere, at any time; what is on its
    /// way goes on with what it has, or was asking for. It asks for nothing any more: if it is refused after this, the
    /// 401 is its response. <doc:Connections> says what else belongs to logging out.
    public func forgetCredentials() {
        self.environment.refresher?.forget()
    }

    /// Returns the request that an endpoint is now, with the credential and the cookies that would be sent with it.
    ///
    /// Interceptors have not seen it. Left out is what is made for each request when it is sent, as a digest, or has to
    /// be waited for: a token that is not loaded yet, and cookies of a ``CookieStore`` that is no ``CookieJar``. What
    /// was sent shows in ``RequestActivity/Event/requestHead(_:)``. Printing the request shows no secret; its header fields
    /// have them.
    ///
    /// - Throws: ``ErrandError`` when there is none that could be sent.
    public func httpRequest(
        for endpoint: some Endpoint, options: RequestOptions = RequestOptions()
    ) throws(ErrandError) -> HTTPRequest {
        let terms = self.environment.terms(saying: endpoint.options.merging(options))
        return self.environment.preview(try endpoint.resolve(under: terms).request, under: terms)
    }

    /// Returns the request that an endpoint is now: as it begins its way, before interceptors, cookies and credentials.
    package func resolvedRequest(
        for endpoint: some Endpoint, saying said: RequestOptions
    ) throws(ErrandError) -> ResolvedRequest {
        try endpoint.resolve(under: self.environment.terms(saying: said))
    }

    /// Writes the command that sends what an endpoint is now with the `curl` program, for a POSIX shell.
    ///
    /// Like ``HTTPRequest/curlCommand(showingSecrets:secretHeaders:)`` of ``httpRequest(for:options:)``, with the
    /// ``ClientConfiguration/Credentials/secretHeaders`` of the client.
    ///
    /// - Throws: ``ErrandError`` when there is no request that could be sent.
    public func curlCommand(
        for endpoint: some Endpoint, options: RequestOptions = RequestOptions(), showingSecrets: Bool = false
    ) throws(ErrandError) -> String {
        try self.httpRequest(for: endpoint, options: options)
            .curlCommand(showingSecrets: showingSecrets, secretHeaders: self.environment.secretHeaders)
    }

    // MARK: - Suspending

    /// Suspends everything that is in flight (``Request/suspend()``), and gives what is started later no slot, until
    /// ``resumeAll()``.
    ///
    /// The total timeout of what is started later counts meanwhile. For an app that goes to the background, or a user who
    /// wants the network for something else.
    public func suspendAll() {
        self.environment.admission.pause()
        self.record.setAllSuspended(true)
    }

    /// Lets everything go on after ``suspendAll()``; what was suspended by itself or by its tag too.
    public func resumeAll() {
        self.record.setAllSuspended(false)
        self.environment.admission.resume()
    }

    // MARK: - Beginning anew

    /// Lets go of the connections, and of what is known of hosts; what is under way goes on.
    ///
    /// For a user who logs out, or a machine that has changed its network. What is sent from now on goes over new
    /// connections, with rules for TLS that were read anew; those that are there are closed when nothing uses them any
    /// more. A transport given in the configuration is left alone. Credentials are kept, see ``forgetCredentials()``, and
    /// so is what is in the cache.
    ///
    /// - Parameter removingCookies: Whether cookies are forgotten too.
    public func reset(removingCookies: Bool = false) async {
        self.ownedTransport?.renew()
        self.environment.admission.forgetHosts()
        if removingCookies { await self.environment.cookies?.removeAll() }
    }

    // MARK: - Ending

    /// Cancels everything that is in flight: batches and chains as such, and their requests with them.
    ///
    /// When this returns, all of it has been told to stop; it ends by itself, hooks and all.
    public func cancelAll() async {
        await self.record.cancelAll()
    }

    /// Ends the client: what is in flight, and what is started later, fails with ``ErrandError/Code/clientShutDown``.
    ///
    /// When this returns, all of it has been told to stop. A transport given in the configuration is left alone; the
    /// client's own is shut down. A second time does nothing.
    public func shutdown() async {
        guard self.environment.close() else { return }
        await self.record.close(.clientShutDown)
        self.environment.deadlines.shutdown()
        self.environment.wakeAll()
        self.environment.finishCircuits()
        self.ownedTransport?.shutdown()
    }

    /// Ends the client once what is in flight has ended, or when a time is over.
    ///
    /// What is started from now on fails with ``ErrandError/Code/clientShutDown``, but for the requests of batches and
    /// chains that are in flight. What has not ended in time is stopped as by ``shutdown()``; so it is at once when the
    /// calling task is cancelled. When this returns, the last `didStop` hooks may still run.
    ///
    /// - Parameter limit: How long that may take, by the client's clock.
    /// - Returns: What had not ended in time, and was told to stop.
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
    /// A mirror of the defaults without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["defaults": self.defaults], displayStyle: .class) }
}

extension Client {
    /// The settings that a client is made with.
    public typealias Configuration = ClientConfiguration
}
