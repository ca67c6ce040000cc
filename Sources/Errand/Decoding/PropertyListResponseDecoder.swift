public import struct Foundation.Data
public import class Foundation.PropertyListDecoder

/// Decodes a `Decodable` value from a property list, in whatever format it is.
///
/// An empty body is `nil` for an optional, and an error for everything else.
public struct PropertyListResponseDecoder<Output: Decodable & Sendable>: ResponseDecoder {
    private let decoder: PropertyListDecoder

    /// Creates a decoder.
    ///
    /// - Parameter decoder: The decoder with its settings.
    public init(_ decoder: PropertyListDecoder = PropertyListDecoder()) {
        self.decoder = decoder
    }

    /// `application/x-plist` and `application/x-apple-plist`.
    public var contentTypes: [MIMEType] { MIMEType.allPropertyLists }

    /// Decodes the body.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed``.
    public func decode(_ response: HTTPResponse) throws -> Output {
        guard !response.data.isEmpty else { return try emptyValue(of: Output.self, "a property list") }
        do {
            try response.data.checkPropertyList()
            return try self.decoder.decode(Output.self, from: response.data)
        } catch {
            let problem = (error as? ErrandError)?.message ?? decodingProblem(error)
            throw ErrandError(
                .decodingFailed, "the body is not a property list for \(Output.self): \(problem)", cause: error)
        }
    }
}

extension PropertyListResponseDecoder: SyntaxChecking {
    func checkSyntax(of response: HTTPResponse) throws(ErrandError) {
        guard !response.data.isEmpty else { return }
        do {
            try response.data.checkPropertyList()
            _ = try self.decoder.decode(Anything.self, from: response.data)
        } catch {
            let problem = (error as? ErrandError)?.message ?? decodingProblem(error)
            throw ErrandError(.decodingFailed, "the body is not a property list: \(problem)")
        }
    }
}

/// Whatever there is.
private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer()
    }
}

extension Data {
    /// Looks at how deep a property list of any format goes; Foundation has no limit and ends the process.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed``.
    fileprivate func checkPropertyList() throws(ErrandError) {
        if BinaryPropertyList.isOne(self) {
            try BinaryPropertyList(self)?.check()
        } else if self.count > documentDepthLimit {
            try self.isXMLPropertyList ? self.checkXML() : self.checkText()
        }
    }

    private var isXMLPropertyList: Bool {
        let beginning = self.prefix(1024)
        return beginning.contains(UInt8(ascii: "<")) && beginning.firstRange(of: Data("<plist".utf8)) != nil
            || beginning.starts(with: "<?xml".utf8)
    }

    private func checkXML() throws(ErrandError) {
        var reader = try XMLReader(self)
        while try reader.next() != nil {}
    }

    /// The oldest format has brackets; those in texts are counted too, of which there are not as many.
    private func checkText() throws(ErrandError) {
        var depth = 0
        for byte in self {
            if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "{") { depth += 1 }
            if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "}") { depth -= 1 }
            guard depth <= documentDepthLimit else {
                throw ErrandError(
                    .decodingFailed, "arrays and dictionaries lie more than \(documentDepthLimit) deep in each other")
            }
        }
    }
}
