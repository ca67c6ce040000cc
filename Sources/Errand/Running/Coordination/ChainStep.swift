internal import ErrandMachines

/// One type-erased step of a chain, so that the chain can store steps of different types in one array.
struct ChainStep: Sendable {
    /// Makes the request from the value of the previous step, sends it, and returns its response.
    let send: @Sendable (_ previous: any Sendable, ChainStepContext) async throws -> any AnyTypedResponse
    /// Runs when the step has succeeded, before the next one starts.
    var callback: (@Sendable (any AnyTypedResponse) async throws -> Void)?
    /// Provides a value to replace a failure.
    var recovery: (@Sendable (ErrandError) async throws -> any Sendable)?

    init<E: Endpoint>(
        options: RequestOptions = RequestOptions(),
        _ make: @escaping @Sendable (any Sendable) async throws -> E,
        callback: (@Sendable (E.Response) async throws -> Void)? = nil
    ) {
        self.send = { previous, context in
            let endpoint = try await make(previous)
            let request = context.run.makeChild(endpoint, at: context.position, options: options)
            await request.send { context.run.lifeline.stopReason ?? .cancelled }
            return try await request.settled()
        }
        if let callback {
            self.callback = { response in
                guard let value = response.anyValue as? E.Response else { return }
                try await callback(value)
            }
        }
    }
}

/// The chain and the index of a step.
struct ChainStepContext: Sendable {
    let run: CoordinatorRun
    let position: Int
}

/// A type-erased response.
protocol AnyTypedResponse: Sendable {
    var anyValue: any Sendable { get }
    var source: ResponseSource { get }
}

extension TypedResponse: AnyTypedResponse {
    var anyValue: any Sendable { self.value }
}
