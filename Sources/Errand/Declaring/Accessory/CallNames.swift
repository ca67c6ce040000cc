internal import ErrandLocks

/// A call made of another one, which goes by the name of that.
protocol DerivedCall {
    /// The type that declares the call.
    static var declaration: Any.Type { get }
}

/// The names of types that declare calls, held because the runtime takes a microsecond to say one.
package enum CallNames {
    private static let names = Locked<[ObjectIdentifier: String]>([:])
    /// A program has so many types of endpoints at most, or makes them as it goes.
    private static let limit = 10_000

    /// The name of the type that declares a call, as people know it.
    package static func name(of type: Any.Type) -> String {
        let id = ObjectIdentifier(type)
        if let name = self.names.withLock({ $0[id] }) { return name }
        let name = String(describing: (type as? any DerivedCall.Type)?.declaration ?? type)
        self.names.withLock { names in
            if names.count >= self.limit { names = [:] }
            names[id] = name
        }
        return name
    }
}
