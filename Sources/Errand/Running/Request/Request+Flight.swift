extension Request: Flight where E == SharedCall {
    nonisolated var isOver: Bool { self.lifeline.outcome != nil }

    func wait() async -> Result<TypedResponse<HTTPResponse>, ErrandError> {
        do throws(ErrandError) {
            return .success(try await self.response)
        } catch {
            var error = error
            // The error is shared by all waiters.
            if error.context.requestID == self.id { error.context.requestID = nil }
            return .failure(error)
        }
    }
}

extension Request {
    nonisolated func share(_ call: SharedCall, on terms: RequestTerms, telling hooks: Hooks) -> any Flight {
        Request<SharedCall>(call, on: terms, hooks: hooks, environment: self.environment)
    }

    nonisolated func sendAnew(on terms: RequestTerms, then done: @escaping @Sendable () -> Void) {
        let request = Request(self.endpoint, on: terms, environment: self.environment)
        // Unstructured: the caller that got the stale response does not wait for a newer one. Ends with that request,
        // which is in the record.
        spawn {
            await request.send()
            done()
        }
    }
}
