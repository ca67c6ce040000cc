/// Runs operations as tasks of their own, which start in the given order, and waits for all of them.
func together(_ operations: (@Sendable () async throws -> Void)...) async throws {
    try await withThrowingTaskGroup { group in
        for operation in operations {
            group.addTask { try await operation() }
        }
        try await group.waitForAll()
    }
}
