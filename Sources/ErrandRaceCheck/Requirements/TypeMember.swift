/// A member of a type or an extension, as far as its tokens tell.
struct TypeMember: Hashable, Sendable {
    /// The kinds of members.
    enum Kind: Hashable, Sendable {
        case property
        case function
        /// A nested type or an alias of one.
        case type
    }

    /// The origin of a property's value.
    enum Origin: Hashable, Sendable {
        /// The value is passed to the initializer.
        case stored
        /// The value is in the declaration.
        case initialized
        /// The property has a getter.
        case computed
    }

    /// A parameter of a function.
    struct Parameter: Hashable, Sendable {
        /// The argument label, or `_`.
        let label: String
        let type: String
    }

    let name: String
    let kind: Kind
    var isStatic = false
    /// The type of a property or of a function's result; `nil` if it is not written.
    var type: String?
    var origin = Origin.stored
    /// The type that the initial value implies if no type is written: a literal, or a call of a type.
    var valueType: ValueType?
    var parameters: [Parameter] = []
    /// True if a function has its own type parameters.
    var isGeneric = false
    var isAsync = false
    var isThrowing = false
    /// The place of the member; its note is still to be written.
    let place: Finding

    /// The type that an initial value implies.
    enum ValueType: Hashable, Sendable {
        /// A number, a string, an array, a dictionary, a Boolean value or `nil`.
        case literal
        /// An instance or a member of a named type.
        case named(String, isInstance: Bool)
    }
}
