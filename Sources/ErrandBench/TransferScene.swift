internal import ErrandTesting
internal import Foundation

/// The servers and files of large transfers.
struct TransferScene {
    let bytes: Int
    /// The URL of a body with the right length.
    let downloadURL: String
    /// The URL of a small body on the same server.
    var smallURL: String { "\(self.nginx.baseURL)small" }
    /// The URL for uploads.
    let uploadURL: String
    /// The file to send.
    let source: URL
    /// The path of the file to receive, which does not exist.
    let target: URL

    private let nginx: NginxServer
    private let sink: UploadSink
    private let folder: BenchFolder

    init(bytes: Int, folder: String?) async throws {
        self.bytes = bytes
        self.folder = try BenchFolder(in: folder)
        self.source = self.folder.url.appending(path: "source")
        self.target = self.folder.url.appending(path: "target")
        try Data().write(to: self.source)
        let handle = try FileHandle(forWritingTo: self.source)
        try handle.truncate(atOffset: UInt64(bytes))
        try handle.close()
        self.sink = try UploadSink()
        self.uploadURL = self.sink.url
        self.nginx = try await NginxServer()
        self.downloadURL = self.nginx.baseURL + (try self.nginx.addFile("large", size: UInt64(bytes)))
    }

    /// Stops the servers.
    func stop() {
        self.sink.stop()
        self.nginx.stop()
    }
}

/// A folder for large files, removed with its contents when it is released.
private final class BenchFolder: Sendable {
    let url: URL

    /// Creates a folder in the given one, or by default in memory if the system supports that.
    init(in place: String?) throws {
        let memory = "/dev/shm"
        let isInMemory = place == nil && FileManager.default.isWritableFile(atPath: memory)
        let parent = place ?? (isInMemory ? memory : FileManager.default.temporaryDirectory.path)
        self.url = URL(filePath: parent)
            .appending(path: "errand-bench-\(UUID().uuidString)", directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(
                at: self.url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        } catch {
            throw BenchError("no folder can be created in \(parent)")
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }
}
