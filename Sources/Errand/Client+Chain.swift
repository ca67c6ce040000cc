extension Client {
    /// Makes a chain that starts with this call; add steps with ``ChainRequest/then(options:_:)``.
    public func chain<E: Endpoint>(
        _ endpoint: E, options: RequestOptions = RequestOptions()
    ) -> ChainRequest<E.Response> {
        ChainRequest([ChainStep { _ in endpoint }], run: self.chainRun(options))
    }

    /// Makes a chain without steps; add them with ``ChainRequest/add(_:options:then:)``, before the chain starts or
    /// while it runs.
    public func chain(options: RequestOptions = RequestOptions()) -> ChainRequest<Void> {
        ChainRequest([], run: self.chainRun(options))
    }

    private func chainRun(_ options: RequestOptions) -> CoordinatorRun {
        CoordinatorRun(.chain, options: options, environment: self.environment)
    }
}
