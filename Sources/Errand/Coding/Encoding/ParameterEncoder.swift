internal import Foundation

/// Makes parameters from an `Encodable` value.
struct ParameterEncoder: Encoder {
    let codingPath: [any CodingKey]
    private let node: Node
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    fileprivate init(_ node: Node, _ codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
    }

    /// Returns the value that an `Encodable` encodes itself as.
    static func encode(_ value: some Encodable) throws -> Parameters.Value {
        let node = Node()
        try node.encode(value, at: [])
        return node.value
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        self.node.becomeObject()
        return KeyedEncodingContainer(KeyedParameterContainer(node: self.node, codingPath: self.codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        self.node.becomeArray()
        return UnkeyedParameterContainer(node: self.node, codingPath: self.codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleParameterContainer(node: self.node, codingPath: self.codingPath)
    }
}

extension ParameterEncoder {
    /// A node of the tree that is being built.
    ///
    /// Encoders hand out containers that all write to the same tree, so its nodes are references.
    final class Node {
        private enum Content {
            case nothing
            case leaf(Parameters.Value)
            case object([(name: String, node: Node)], places: [ExactText: Int])
            case array([Node])
            case set([Node])
        }

        private var content = Content.nothing

        /// The encoded value; an empty object if none was encoded.
        var value: Parameters.Value {
            switch self.content {
            case .nothing: .object([:])
            case .leaf(let value): value
            case .object(let members, _): .object(Parameters(members.map { ($0.name, $0.node.value) }))
            case .array(let nodes): .array(nodes.map(\.value))
            case .set(let nodes): .set(Set(nodes.map(\.value)))
            }
        }

        var count: Int {
            if case .array(let nodes) = self.content { nodes.count } else { 0 }
        }

        func becomeObject() {
            if case .object = self.content { return }
            self.content = .object([], places: [:])
        }

        func becomeArray() {
            if case .array = self.content { return }
            self.content = .array([])
        }

        /// Turns an array into an unordered set.
        private func becomeSet() {
            if case .array(let nodes) = self.content { self.content = .set(nodes) }
        }

        func put(_ value: Parameters.Value) {
            self.content = .leaf(value)
        }

        /// Returns the node of a member, which is created if there is none with its name.
        func member(_ name: String) -> Node {
            guard case .object(var members, var places) = self.content else { return Node() }
            if let place = places[ExactText(name)] { return members[place].node }
            self.content = .nothing
            let node = Node()
            places[ExactText(name)] = members.count
            members.append((name, node))
            self.content = .object(members, places: places)
            return node
        }

        /// Returns a new node after the last element.
        func element() -> Node {
            guard case .array(var nodes) = self.content else { return Node() }
            self.content = .nothing
            let node = Node()
            nodes.append(node)
            self.content = .array(nodes)
            return node
        }

        func encode<Value: Encodable>(_ value: Value, at path: [any CodingKey]) throws {
            if let leaf = Parameters.Value(special: value) { return self.put(leaf) }
            // A leaf may be in the innermost container.
            guard path.count <= depthLimit else { throw ErrandError.nestedTooDeep }
            try value.encode(to: ParameterEncoder(self, path))
            if value is any WithoutOrder { self.becomeSet() }
        }
    }
}

/// A type that encodes itself as an array, but is unordered.
private protocol WithoutOrder {}

extension Set: WithoutOrder {}

extension Parameters.Value {
    /// Creates the value of a type that does not encode itself as parameters need; `nil` for all others.
    fileprivate init?(special value: some Encodable) {
        switch value {
        case let value as Parameters.Value: self = value
        case let value as Parameters: self = .object(value)
        case let value as Date: self = .date(value)
        case let value as Data: self = .string(value.base64EncodedString())
        case let value as URL: self = .string(value.absoluteString)
        case let value as Decimal: self = Parameters.Value(value)
        default: return nil
        }
    }

    /// Creates a number if one has the same digits, and otherwise a text.
    private init(_ number: Decimal) {
        let text = number.description
        if number.isNaN {
            self = .double(.nan)
        } else if let value = Int(text) {
            self = .int(value)
        } else if let value = UInt64(text) {
            self = .unsigned(value)
        } else if let value = Double(text), value.shortText == text {
            self = .double(value)
        } else {
            self = .string(text)
        }
    }

    /// Creates a number from any integer type.
    fileprivate init(_ number: some BinaryInteger) {
        if let value = Int(exactly: number) {
            self = .int(value)
        } else if let value = UInt64(exactly: number) {
            self = .unsigned(value)
        } else {
            self = .string(number.description)
        }
    }

    /// Creates a number that is read back as the same `Float`, with as few digits as possible.
    fileprivate init(_ number: Float) {
        self = .double(Double(number.description) ?? Double(number))
    }
}

// MARK: - Containers

private struct KeyedParameterContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: ParameterEncoder.Node
    let codingPath: [any CodingKey]

    private func put(_ value: Parameters.Value, _ key: some CodingKey) {
        self.node.member(key.stringValue).put(value)
    }

    func encodeNil(forKey key: Key) { self.put(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { self.put(.bool(value), key) }
    func encode(_ value: String, forKey key: Key) { self.put(.string(value), key) }
    func encode(_ value: Double, forKey key: Key) { self.put(.double(value), key) }
    func encode(_ value: Float, forKey key: Key) { self.put(Parameters.Value(value), key) }
    func encode(_ value: Int, forKey key: Key) { self.put(.int(value), key) }
    func encode(_ value: Int8, forKey key: Key) { self.put(Parameters.Value(value), key) }
    func encode(_ value: Int16, forKey key: Key) { self.put(Parameters.Value(value), key) }
    func encode(_ value: Int32, forKey key: Key) { self.put(Parameters.Value(value), key) }
    func encode(_ value: Int64, forKey key: Key) { self.put(Parameters.Value(value), key) }
    func encode(_ value: UInt, forKey key: Key) { self.put(Parameters.Value(value), key) }
    func encode(_ value: UInt8, forKey key: Key) { self.put(Parameters.Value(value), key) }
    func encode(_ value: UInt16, forKey key: Key) { self.put(Parameters.Value(value), key) }
    func encode(_ value: UInt32, forKey key: Key) { self.put(Parameters.Value(value), key) }
    func encode(_ value: UInt64, forKey key: Key) { self.put(Parameters.Value(value), key) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try self.node.member(key.stringValue).encode(value, at: self.codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        self.encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        self.encoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { self.encoder(ParameterName("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { self.encoder(key) }

    private func encoder(_ key: some CodingKey) -> ParameterEncoder {
        ParameterEncoder(self.node.member(key.stringValue), self.codingPath + [key])
    }
}

private struct UnkeyedParameterContainer: UnkeyedEncodingContainer {
    let node: ParameterEncoder.Node
    let codingPath: [any CodingKey]
    var count: Int { self.node.count }

    func encodeNil() { self.node.element().put(.null) }
    func encode(_ value: Bool) { self.node.element().put(.bool(value)) }
    func encode(_ value: String) { self.node.element().put(.string(value)) }
    func encode(_ value: Double) { self.node.element().put(.double(value)) }
    func encode(_ value: Float) { self.node.element().put(Parameters.Value(value)) }
    func encode(_ value: Int) { self.node.element().put(.int(value)) }
    func encode(_ value: Int8) { self.node.element().put(Parameters.Value(value)) }
    func encode(_ value: Int16) { self.node.element().put(Parameters.Value(value)) }
    func encode(_ value: Int32) { self.node.element().put(Parameters.Value(value)) }
    func encode(_ value: Int64) { self.node.element().put(Parameters.Value(value)) }
    func encode(_ value: UInt) { self.node.element().put(Parameters.Value(value)) }
    func encode(_ value: UInt8) { self.node.element().put(Parameters.Value(value)) }
    func encode(_ value: UInt16) { self.node.element().put(Parameters.Value(value)) }
    func encode(_ value: UInt32) { self.node.element().put(Parameters.Value(value)) }
    func encode(_ value: UInt64) { self.node.element().put(Parameters.Value(value)) }

    func encode(_ value: some Encodable) throws {
        let key = self.nextKey
        try self.node.element().encode(value, at: self.codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        self.nextEncoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self.nextEncoder().unkeyedContainer() }
    func superEncoder() -> any Encoder { self.nextEncoder() }

    private var nextKey: ParameterName { ParameterName("\(self.count)") }

    private func nextEncoder() -> ParameterEncoder {
        let key = self.nextKey
        return ParameterEncoder(self.node.element(), self.codingPath + [key])
    }
}

private struct SingleParameterContainer: SingleValueEncodingContainer {
    let node: ParameterEncoder.Node
    let codingPath: [any CodingKey]

    func encodeNil() { self.node.put(.null) }
    func encode(_ value: Bool) { self.node.put(.bool(value)) }
    func encode(_ value: String) { self.node.put(.string(value)) }
    func encode(_ value: Double) { self.node.put(.double(value)) }
    func encode(_ value: Float) { self.node.put(Parameters.Value(value)) }
    func encode(_ value: Int) { self.node.put(.int(value)) }
    func encode(_ value: Int8) { self.node.put(Parameters.Value(value)) }
    func encode(_ value: Int16) { self.node.put(Parameters.Value(value)) }
    func encode(_ value: Int32) { self.node.put(Parameters.Value(value)) }
    func encode(_ value: Int64) { self.node.put(Parameters.Value(value)) }
    func encode(_ value: UInt) { self.node.put(Parameters.Value(value)) }
    func encode(_ value: UInt8) { self.node.put(Parameters.Value(value)) }
    func encode(_ value: UInt16) { self.node.put(Parameters.Value(value)) }
    func encode(_ value: UInt32) { self.node.put(Parameters.Value(value)) }
    func encode(_ value: UInt64) { self.node.put(Parameters.Value(value)) }
    func encode(_ value: some Encodable) throws { try self.node.encode(value, at: self.codingPath) }
}
