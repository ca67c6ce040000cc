/// Yields until a condition holds, for as long as only a fault takes.
///
/// - Returns: Whether it holds: a wait that is in vain fails an expectation, and not the time limit of the suite.
func fixtureHolds(_ condition: () async -> Bool) async -> Bool {
    let limit = ContinuousClock.now + .seconds(30)
    while !Task.isCancelled, ContinuousClock.now < limit {
        if await condition() { return true }
        await Task.yield()
    }
    return await condition()
}
