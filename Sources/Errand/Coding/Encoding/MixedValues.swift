/// The members of an object with values of different types.
struct MixedMembers: Encodable, Sendable {
    private let members: [(name: String, value: (any Encodable & Sendable)?)]

    init(_ members: KeyValuePairs<String, (any Encodable & Sendable)?>) {
        self.members = members.map { ($0.key, $0.value) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ParameterName.self)
        var names = MemberNames()
        for (name, value) in self.members {
            try names.add(name, at: container.codingPath)
            if let value {
                try container.encode(value, forKey: ParameterName(name))
            } else {
                try container.encodeNil(forKey: ParameterName(name))
            }
        }
    }
}

/// The elements of an array with different types.
struct MixedElements: Encodable, Sendable {
    let elements: [(any Encodable & Sendable)?]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for element in self.elements {
            if let element { try container.encode(element) } else { try container.encodeNil() }
        }
    }
}
