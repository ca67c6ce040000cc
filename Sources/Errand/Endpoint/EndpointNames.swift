internal import ErrandLocks

extension Endpoint {
    /// The name of the type that declares the call, as people know it.
    package static var declaredName: String { EndpointNames.name(of: Self.self) }
}

/// The names of types that declare calls, held because the runtime takes a microsecond to say one.
private enum EndpointNames {
    private static let names = Locked<[ObjectIdentifier: String]>([:])
    /// A program has so many types of endpoints at most, or makes them as it goes.
    private static let limit = 10_000

    static func name(of type: any Endpoint.Type) -> String {
        let id = ObjectIdentifier(type)
        if let name = self.names.withLock({ $0[id] }) { return name }
        let name = String(describing: (type as? any BodyCall.Type)?.declaration ?? type)
        self.names.withLock { names in
            if names.count >= self.limit { names = [:] }
            names[id] = name
        }
        return name
    }
}
