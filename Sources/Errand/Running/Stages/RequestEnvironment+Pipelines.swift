internal import ErrandLocks

extension RequestEnvironment {
    /// The stages of a request.
    ///
    /// Requests with the client's own options share theirs.
    func pipeline(for request: HTTPRequest, with shared: SharedOptions) -> Pipeline {
        let kind = Pipeline.Kind(request, shared.value)
        guard shared === self.options else { return self.compile(shared, kind) }
        if let known = self.pipelines.withLock({ $0[kind.rawValue] }) { return known }
        let pipeline = self.compile(shared, kind)
        self.pipelines.withLock { $0[kind.rawValue] = pipeline }
        return pipeline
    }

    private func compile(_ shared: SharedOptions, _ kind: Pipeline.Kind) -> Pipeline {
        let options = shared.value
        var stages = self.cacheStages(options, kind)
        let upload = kind.contains(.resumesUpload) ? UploadStage(resumption: options.uploadResumption) : nil
        let download = ResumptionStage(options.destination)
        if let upload { stages.append(upload) }
        if let download { stages.append(download) }
        if kind.contains(.isSafe), self.coalesces(shared) { stages.append(CoalescingStage(flights: self.flights)) }
        if let circuits = self.circuits(for: shared) { stages.append(circuits) }
        let hedge = kind.contains(.mayBeSentTwice) && upload == nil ? HedgeStage(options) : nil
        if let hedge { stages.append(hedge) }
        if upload == nil, let retry = RetryStage(options.retries, isHedged: hedge != nil) { stages.append(retry) }
        let interceptors = self.interceptors(for: shared)
        for interceptor in interceptors { stages.append(InterceptorStage(interceptor: interceptor)) }
        let connectivity = ConnectivityStage(options.connectivity)
        if let connectivity { stages.append(connectivity) }
        return Pipeline(
            stages,
            sendsApart: !interceptors.isEmpty || upload != nil || download != nil || hedge != nil
                || connectivity != nil,
            hasInterceptors: !interceptors.isEmpty)
    }

    private func cacheStages(_ options: EffectiveOptions, _ kind: Pipeline.Kind) -> [any Stage] {
        var stages: [any Stage] = []
        let (policy, use) = (options.cachePolicy, options.cacheUse)
        if use != .use || policy.lifetime != nil || policy.authority == .http && self.cacheAccess != nil {
            stages.append(CacheStage(use: use, by: policy.authority, in: self.cacheAccess))
        }
        // Responses may have been stored by the rules of HTTP before this start, or by another process.
        if !kind.contains(.isSafe), let cache = self.cacheAccess { stages.append(InvalidationStage(in: cache)) }
        return stages
    }

    /// True if equal requests with these options share an exchange.
    private func coalesces(_ shared: SharedOptions) -> Bool {
        let (options, interceptors) = (shared.value, self.interceptors(for: shared))
        // Interceptors may add credentials.
        guard options.isCoalesced, options.isInMemory, interceptors.allSatisfy(\.hasOwnCachePartition),
            options.userInfo.isEmpty || interceptors.isEmpty
        else { return false }
        // Cacheable requests are coalesced only if nothing can change the identity they are sent with.
        return options.cachePolicy.lifetime == nil && options.cachePolicy.authority != .http
            || interceptors.isEmpty && !self.addsToRequests
    }
}
