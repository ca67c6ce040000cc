internal import ErrandLocks

/// A call that wraps another one and uses its name.
protocol DerivedCall {
    /// The type that declares the wrapped call.
    static var declaration: Any.Type { get }
}

/// The name of a call: the type that declares it, or only the type's name.
package enum CallName: Sendable {
    case type(Any.Type)
    case given(String)

    /// The displayed name.
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

/// A cache of the names of declaring types, because the runtime takes a microsecond to make one.
package enum CallNames {
    private static let names = Locked<[ObjectIdentifier: String]>([:])
    /// The maximum number of cached names, for programs that create endpoint types at run time.
    private static let limit = 10_000

    /// Returns the displayed name of the type that declares a call.
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
