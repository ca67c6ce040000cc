internal import Errand
internal import Foundation

/// JSON for a body, from the command line or from a file; sent unchanged.
enum JSONText {
    /// The maximum size of a text, which is in memory while it is checked and sent.
    static let limit = 64 << 20

    /// Returns the text of an argument, or of the file that it names after an `@`, if it is JSON (RFC 8259).
    static func read(_ argument: String) throws(UsageError) -> Data {
        guard argument.utf8.first == UInt8(ascii: "@") else {
            return try Self.check(Data(argument.utf8), from: "--json-body")
        }
        let path = String(argument.unicodeScalars.dropFirst())
        let source = "--json-body @\(path)"
        return try Self.check(try Self.content(of: path, source), from: source)
    }

    /// Returns the content of a file, or of a pipe, up to the limit.
    static func content(of path: String, _ source: String) throws(UsageError) -> Data {
        let handle: FileHandle
        do {
            handle = try FileHandle(forReadingFrom: URL(filePath: path, directoryHint: .notDirectory))
        } catch {
            throw Self.unreadable(source, error)
        }
        defer { try? handle.close() }
        return try Self.content(of: handle, source)
    }

    /// Returns the rest of a file or of a pipe, up to the limit.
    static func content(of handle: FileHandle, _ source: String) throws(UsageError) -> Data {
        do {
            var data = Data()
            // In pieces: it may be a pipe of unknown length.
            while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
                data += piece
                guard data.count <= Self.limit else { throw UsageError.get("\(source): more than 64 MiB") }
            }
            return data
        } catch let error as UsageError {
            throw error
        } catch {
            throw Self.unreadable(source, error)
        }
    }

    private static func unreadable(_ source: String, _ error: any Error) -> UsageError {
        .get("\(source): the file cannot be read: \(Self.reason(error))")
    }

    /// The system's error message, if available.
    private static func reason(_ error: any Error) -> String {
        let error = error as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        guard cause.domain == NSPOSIXErrorDomain else { return error.localizedDescription }
        return FileProblem(Int32(truncatingIfNeeded: cause.code)).description
    }

    private static func check(_ data: Data, from source: String) throws(UsageError) -> Data {
        // JSON must be sent in UTF-8 without a byte order mark (§8.1), even if the parser accepts more.
        guard String(validUTF8: data) != nil, !data.contains(0), !data.starts(with: Self.mark) else {
            throw .get("\(source): the text is not JSON: it is not UTF-8, or begins with a byte order mark")
        }
        do throws(ErrandError) {
            _ = try JSONValue(parsing: data)
        } catch {
            throw .get("\(source): \(error.message)")
        }
        return data
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
