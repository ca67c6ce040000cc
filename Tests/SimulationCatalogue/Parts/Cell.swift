/// A variable that tasks share; each access is one call.
actor Cell<Value: Sendable> {
    private(set) var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func set(_ value: Value) {
        self.value = value
    }

    /// Changes the value in one step, and returns the new one.
    @discardableResult
    func update(_ change: @Sendable (inout Value) -> Void) -> Value {
        change(&self.value)
        return self.value
    }
}
