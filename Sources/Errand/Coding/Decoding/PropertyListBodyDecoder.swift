internal import struct Foundation.Data
internal import class Foundation.JSONDecoder
internal import class Foundation.PropertyListDecoder

/// Decodes a value from a property list; see ``ResponseDecoder/plist``.
struct PropertyListBodyDecoder<Output: Decodable & Sendable>: BodyDecoder {
    private let decoder: PropertyListDecoder

    init(_ decoder: PropertyListDecoder) {
        self.decoder = decoder
    }

    var contentTypes: [MIMEType] { MIMEType.allPropertyLists }

    /// Decodes the body.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed``.
    func decode(_ response: HTTPResponse, inheriting json: JSONDecoder) throws -> Output {
        let data = try response.dataInMemory()
        guard !data.isEmpty else { return try emptyValue(of: Output.self, "a property list") }
        do {
            return try self.decoder.decode(Output.self, from: data.plainPropertyList())
        } catch {
            let problem = (error as? ErrandError)?.message ?? "\(DecodingProblem(error))"
            throw ErrandError(
                .decodingFailed, "not a property list for \(typeName(of: Output.self)): \(problem)", cause: error)
        }
    }
}

extension PropertyListBodyDecoder: SyntaxChecking {
    func checkSyntax(of response: HTTPResponse) throws(ErrandError) {
        guard !response.data.isEmpty else { return }
        do {
            _ = try self.decoder.decode(Anything.self, from: response.data.plainPropertyList())
        } catch {
            let problem = (error as? ErrandError)?.message ?? "\(DecodingProblem(error))"
            throw ErrandError(.decodingFailed, "the body is not a property list: \(problem)")
        }
    }
}

/// Any value.
private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {
        _ = try decoder.singleValueContainer()
    }
}

extension Data {
    /// Returns the property list in a form that is safe for Foundation.
    ///
    /// Foundation's parser recurses without a limit, and a deeply nested list crashes the process. Checking a list
    /// first is not sufficient if the two parsers read it differently. So XML is parsed by Errand's own parser, and
    /// written again in its plainest form; a binary list has to be valid in each checked part.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/decodingFailed`` for other formats, and for damaged
    ///   or too deeply nested lists.
    fileprivate func plainPropertyList() throws(ErrandError) -> Data {
        guard BinaryPropertyList.isOne(self) else {
            return Data(try XMLTree(parsing: self).plainPropertyList().utf8)
        }
        guard let list = BinaryPropertyList(self) else { throw BinaryPropertyList.damaged }
        try list.check()
        return self
    }
}

extension XMLTree {
    /// Returns the XML of a property list in its minimal form.
    fileprivate func plainPropertyList() throws(ErrandError) -> String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
        try self.write(to: &text)
        return text
    }

    private func write(to text: inout String) throws(ErrandError) {
        guard !self.name.isEmpty, self.name.utf8.allSatisfy({ 0x61...0x7A ~= $0 }) else {
            throw ErrandError(.decodingFailed, "the element \(self.name) is invalid in a property list")
        }
        text += "<\(self.name)>"
        for node in self.nodes {
            switch node {
            case .element(let element): try element.write(to: &text)
            case .text(let part):
                guard !part.unicodeScalars.hasLongRunOfMarks else {
                    throw ErrandError(
                        .decodingFailed, "a text has more than \(longestRunOfMarks) combining marks in a row")
                }
                for scalar in part.unicodeScalars {
                    switch scalar {
                    case "&": text += "&amp;"
                    case "<": text += "&lt;"
                    case ">": text += "&gt;"
                    default: text.unicodeScalars.append(scalar)
                    }
                }
            }
        }
        text += "</\(self.name)>"
    }
}
