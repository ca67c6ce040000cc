/// A member of a type or an extension, as far as its tokens tell.
struct TypeMember: Hashable, Sendable {
    /// The sorts of members.
    enum Kind: Hashable, Sendable {
        case property
        case function
        /// A nested type or an alias of one.
        case type
    }

    /// Where the value of a property comes from.
    enum Origin: Hashable, Sendable {
        /// Whoever makes the value of the type gives it.
        case stored
        /// It is in the declaration.
        case initialized
        /// It has a getter.
        case computed
    }

    /// A parameter of a function.
    struct Parameter: Hashable, Sendable {
        /// What callers write, or `_`.
        let label: String
        let type: String
    }

    let name: String
    let kind: Kind
    var isStatic = false
    /// The type of a property or of a function's result; `nil` where none is written.
    var type: String?
    var origin = Origin.stored
    /// Whether the initial value shows what a type is that is not written: a literal, or a call of a type.
    var valueType: ValueType?
    var parameters: [Parameter] = []
    /// Whether a function has type parameters of its own.
    var isGeneric = false
    var isAsync = false
    var isThrowing = false
    /// Where it is; its note is still to be written.
    let place: Finding

    /// What an initial value tells of the type.
    enum ValueType: Hashable, Sendable {
        /// A number, a text, an array, a dictionary, a truth value or `nil`.
        case literal
        /// An instance or a member of a named type.
        case named(String, isInstance: Bool)
    }
}
