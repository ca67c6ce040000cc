internal import Errand
internal import Foundation

/// The command `errand upload`: sends a file, and prints the response.
struct Upload: Sendable {
    private let file: URL
    private let call: Call
    private let resumption: UploadResumption
    private let isQuiet: Bool
    private let timeouts: Timeouts
    private let console: Console
    private let interruption: Interruption

    /// The request without its body.
    private struct Call: Endpoint {
        let url: HTTPURL
        let method: HTTPMethod
        let headers: HTTPFields

        var path: EndpointPath { .url(self.url.string) }
    }

    /// Validates options, and checks the file.
    init(
        _ options: UploadOptions, _ timeouts: Timeouts, console: Console, interruption: Interruption
    ) throws(UsageError) {
        guard let path = options.file, let text = options.url else { throw .upload("name a file and a URL") }
        self.file = URL(filePath: path, directoryHint: .notDirectory)
        do throws(ErrandError) {
            _ = try HTTPRequest.Body.file(self.file).length()
            let url = try HTTPURL(text.containsExactly("://") ? text : "http://\(text)")
            self.call = Call(url: url, method: options.method ?? .post, headers: options.headers)
        } catch {
            throw .upload(error.message)
        }
        let folder = options.folder.map { URL(filePath: $0, directoryHint: .isDirectory) }
        switch options.resumption {
        case .draft:
            self.resumption =
                options.interopVersion.map { .automatic(in: folder, interopVersion: $0) }
                ?? .automatic(in: folder)
        case .tus where options.interopVersion != nil, nil where options.interopVersion != nil:
            throw .upload("--interop is for --resumable")
        case .tus where options.method ?? .post != .post: throw .upload("--tus begins with a POST")
        case .tus: self.resumption = .tus(in: folder)
        case nil where folder != nil: throw .upload("--continue is for --resumable and --tus")
        case nil: self.resumption = .never
        }
        // Created before anything is sent; the upload would create it as well.
        if let folder, (try? OwnFolder.make(folder.path)) == nil {
            throw .upload("--continue \(folder.path): the folder cannot be created")
        }
        self.isQuiet = options.isQuiet
        self.timeouts = timeouts
        self.console = console
        self.interruption = interruption
    }

    /// Sends the file; returns the exit code.
    func run() async -> Int32 {
        let board =
            self.isQuiet || !self.console.showsTransfers
            ? nil : TransferBoard(.sent, count: 1, name: self.file.lastPathComponent)
        let client = Client {
            $0.options = RequestOptions().timeouts(self.timeouts)
            if let board { $0.accessories = [board] }
        }
        self.interruption.onRaise {
            // Unstructured, since a signal handler cannot wait. Ends when all requests have been cancelled.
            Task { await client.cancelAll() }
        }
        let isFine = self.interruption.reason == nil ? await self.send(with: client, board) : false
        await client.shutdown()
        return isFine ? Program.ExitCode.success : Program.ExitCode.failure
    }

    private func send(with client: Client, _ board: TransferBoard?) async -> Bool {
        let upload = { () async -> Result<Data, ErrandError> in
            do throws(ErrandError) {
                return .success(
                    try await client.upload(self.call, from: self.file, options: .uploadResumption(self.resumption)))
            } catch {
                return .failure(error)
            }
        }
        let result =
            if let board { await board.shown(on: self.console, during: upload) } else { await upload() }
        switch result {
        case .success(let body):
            await self.console.bytes(body)
            return true
        case .failure(let error):
            // The reason is reported elsewhere.
            guard self.interruption.reason == nil else { return false }
            if let body = error.context.body { await self.console.bytes(body) }
            await self.console.complain("\(error.code): \(error.message)")
            return false
        }
    }
}
