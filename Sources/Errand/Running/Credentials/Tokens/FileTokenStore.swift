public import Foundation

/// Keeps a token in a file that nobody but its owner can read.
///
/// The token stands in it in the clear: where the platform has a keychain, a ``TokenStore`` over that is the better one.
/// The file is whole or is not there, whenever the process ends; its folder has to exist.
public struct FileTokenStore: TokenStore {
    /// The file.
    public let file: URL

    /// Creates a store that keeps its token in a file.
    public init(file: URL) {
        self.file = file
    }

    /// Returns the token; `nil` where there is no file, or none that a token can be read from.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed`` when the file is there and cannot be read.
    public func load() async throws(ErrandError) -> OAuthToken? {
        do throws(FileProblem) {
            let file = try OpenFile(reading: self.file.path)
            let bytes = try file.read(file.facts().size)
            return try? JSONDecoder().decode(OAuthToken.self, from: Data(bytes))
        } catch {
            guard !error.isAbsence else { return nil }
            throw self.failure(error)
        }
    }

    /// Writes a token in place of the one before.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    public func save(_ token: OAuthToken) async throws(ErrandError) {
        let draft = "\(self.file.path).\(UUID().uuidString)"
        do throws(FileProblem) {
            guard let data = try? JSONEncoder().encode(token) else { throw FileProblem(EINVAL) }
            try OpenFile(making: draft).write(data)
            guard unsafe rename(draft, self.file.path) == 0 else { throw FileProblem(errno) }
        } catch {
            _ = unsafe unlink(draft)
            throw self.failure(error)
        }
    }

    /// Removes the file.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/fileFailed``.
    public func remove() async throws(ErrandError) {
        guard unsafe unlink(self.file.path) != 0, errno != ENOENT else { return }
        throw self.failure(FileProblem(errno))
    }

    private func failure(_ problem: FileProblem) -> ErrandError {
        ErrandError(.fileFailed, "the file of the token \"\(self.file.lastPathComponent)\": \(problem)")
    }
}
