internal import Errand
internal import ErrandTesting
internal import Foundation

/// The transfer of one large body, by Errand or by the curl program.
struct Transfer {
    enum Kind: String, CaseIterable {
        case downloadFile = "download-file"
        case downloadStream = "download-stream"
        case uploadFile = "upload-file"
        case uploadStream = "upload-stream"
    }

    let kind: Kind
    let scene: TransferScene
    let transport: any Transport

    /// The number of body bytes that are buffered for the reader.
    private static let buffer = 1 << 20
    /// The size of a chunk of the body.
    private static let chunk = 64 << 10

    // MARK: - By Errand

    /// Transfers the body once; returns the duration, and the memory if it is known.
    func run() async throws -> (time: Duration, memory: Int?) {
        defer { self.removeTarget() }
        let before = ProcessUsage.residentBytes()
        let isWatched = ProcessUsage.resetPeak()
        let start = ContinuousClock.now
        let count = try await self.move()
        let time = ContinuousClock.now - start
        guard count == self.scene.bytes else {
            throw BenchError("\(self.kind.rawValue): \(count) bytes were moved instead of \(self.scene.bytes)")
        }
        guard isWatched, let before, let peak = ProcessUsage.peakBytes else { return (time, nil) }
        return (time, max(0, peak - before))
    }

    /// Transfers the body repeatedly until the task is cancelled, and counts the bytes.
    func repeatUntilCancelled(counting progress: DownloadProgress) async throws {
        defer { self.removeTarget() }
        while !Task.isCancelled {
            do {
                _ = try await self.exchange(.file(self.scene.target)) { event in
                    if case .received(let received) = event { progress.show(received.bytes) }
                }
                progress.endBody()
            } catch let error as ErrandError where error.code == .cancelled {
                return
            }
            self.removeTarget()
        }
    }

    /// Transfers the body; returns its size.
    private func move() async throws -> Int {
        switch self.kind {
        case .downloadFile:
            _ = try await self.exchange(.file(self.scene.target))
            return try FileManager.default.attributesOfItem(atPath: self.scene.target.path)[.size] as? Int ?? 0
        case .downloadStream:
            return try await self.count(try await self.exchange(.stream(buffer: Self.buffer)))
        case .uploadFile:
            return try await self.upload(.file(self.scene.source))
        case .uploadStream:
            return try await self.upload(.stream(self.chunks(), length: Int64(self.scene.bytes)))
        }
    }

    private func exchange(
        _ destination: ExchangeContext.BodyDestination, body: HTTPRequest.Body = .none,
        observer: (@Sendable (ExchangeEvent) -> Void)? = nil
    ) async throws -> HTTPResponse {
        let isUpload = if case .none = body { false } else { true }
        let url = try HTTPURL(isUpload ? self.scene.uploadURL : self.scene.downloadURL)
        let request = HTTPRequest(method: isUpload ? .put : .get, url: url, body: body)
        let context = ExchangeContext(requestID: .next(), attempt: 1, destination: destination, observer: observer)
        let response = try await self.transport.exchange(request, context)
        guard response.status.kind == .successful else { throw BenchError("the server answered \(response.status)") }
        return response
    }

    private func count(_ response: HTTPResponse) async throws -> Int {
        guard case .stream(let stream) = response.body else { throw BenchError("the body is not a stream") }
        var count = 0
        for try await chunk in stream { count += chunk.count }
        return count
    }

    /// The server responds with success once it has read the declared length.
    private func upload(_ body: HTTPRequest.Body) async throws -> Int {
        _ = try await self.exchange(.memory(limit: 1 << 20), body: body)
        return self.scene.bytes
    }

    private func chunks() -> BodyStream {
        let (total, chunk) = (self.scene.bytes, Data(count: Self.chunk))
        return BodyStream {
            var left = total
            return { () async throws(ErrandError) -> Data? in
                guard left > 0 else { return nil }
                defer { left -= min(left, chunk.count) }
                return left < chunk.count ? chunk.prefix(left) : chunk
            }
        }
    }

    // MARK: - By the curl program

    /// Transfers the same body with curl; returns the duration, or `nil` if curl is not installed.
    func runProgram() async throws -> Duration? {
        guard let curl = TestProgram.curl else { return nil }
        defer { self.removeTarget() }
        let result = try await curl.run(["-q", "-s", "-S", "-f", "-w", "%{stderr}%{time_total}"] + self.arguments)
        guard result.status == 0, let seconds = Double(result.complaint) else {
            throw BenchError("curl failed: \(result.complaint)")
        }
        return .seconds(seconds)
    }

    /// Transfers the same body with curl, repeatedly until the task is cancelled.
    func repeatProgram() async throws {
        while !Task.isCancelled {
            do {
                _ = try await self.runProgram()
            } catch {
                // A program that is stopped fails.
                if !Task.isCancelled { throw error }
            }
        }
    }

    /// Removes the file: that takes a while for a large file, and is not part of the measurement.
    private func removeTarget() {
        try? FileManager.default.removeItem(at: self.scene.target)
    }

    private var arguments: [String] {
        switch self.kind {
        case .downloadFile: ["-o", self.scene.target.path, self.scene.downloadURL]
        case .downloadStream: ["-o", "/dev/null", self.scene.downloadURL]
        case .uploadFile, .uploadStream: ["-T", self.scene.source.path, self.scene.uploadURL]
        }
    }
}
