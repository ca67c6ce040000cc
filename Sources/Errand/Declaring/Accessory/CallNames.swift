internal import ErrandLocks

/// A call made of another one, which goes by the name of that.
protocol DerivedCall {
    /// The type that declares the call.
    static var declaration: Any.Type { get }
}

/// The name of a call: the type that declares it, or the name of that, where only the name is known.
package enum CallName: Sendable {
    case type(Any.Type)
    case given(String)

    /// The name as people know it.
    package var text: String {
        switch self {
        case .type(let type): CallNames.name(of: type)
        case .given(let name): name
        }
    }
}

extension CallName: Hashable {
    package static func == (one: CallName, other: CallName) -> Bool {
        switch (one, other) {
        case (.type(let one), .type(let other)): one == other
        case (.given(let one), .given(let other)): one == other
        case (.type, .given), (.given, .type): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .type(let type): hasher.combine(ObjectIdentifier(type))
        case .given(let name): hasher.combine(name)
        }
    }
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
