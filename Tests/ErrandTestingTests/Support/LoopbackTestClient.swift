internal import ErrandTesting
internal import Foundation

/// A client that speaks to a loopback server byte by byte, with blocking calls on a thread of its own.
struct LoopbackTestClient: Sendable {
    let port: UInt16

    init(_ server: LoopbackServer) {
        port = server.port
    }

    /// Connects, does what `script` says on a new thread, and closes the connection.
    func run<Result: Sendable>(
        _ script: @escaping @Sendable (LoopbackTestSocket) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                continuation.resume(
                    with: Swift.Result {
                        let socket = try LoopbackTestSocket(port: port)
                        defer { socket.finish() }
                        return try script(socket)
                    })
            }
            thread.start()
        }
    }

    /// Sends a text and returns everything the server sends until the connection ends.
    func exchange(_ text: String) async throws -> String {
        try await run { socket in
            try socket.write(text)
            return try socket.readToEnd().text
        }
    }
}
