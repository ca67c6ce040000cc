internal import Errand
internal import Foundation

/// What becomes of a body before it is sent.
enum FixtureBody {
    /// The whole content.
    static func content(of body: RequestBody) async throws -> Data {
        switch try body.encoded()?.body {
        case nil, .none?: Data()
        case .bytes(let data)?: data
        case .file(let url)?: try Data(contentsOf: url)
        case .stream(let stream, _)?: try await self.all(of: stream)
        }
    }

    /// Why it cannot be made.
    static func failure(of body: RequestBody) -> ErrandError? {
        do throws(ErrandError) {
            _ = try body.encoded()
            return nil
        } catch {
            return error
        }
    }

    static func all(of stream: BodyStream) async throws -> Data {
        var data = Data()
        for try await chunk in stream { data += chunk }
        return data
    }

    static func stream(_ chunks: [Data], isRepeatable: Bool = true) -> BodyStream {
        BodyStream(isRepeatable: isRepeatable) {
            var rest = chunks[...]
            return { () async throws(ErrandError) -> Data? in rest.popFirst() }
        }
    }
}

/// A folder that goes with the test.
final class FixtureFolder: Sendable {
    let url: URL

    init() throws {
        self.url = FileManager.default.temporaryDirectory.appending(path: "errand-\(UUID().uuidString)/")
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    /// Writes a file.
    func file(_ name: String, _ content: Data) throws -> URL {
        let file = self.url.appending(path: name, directoryHint: .notDirectory)
        try content.write(to: file)
        return file
    }
}
