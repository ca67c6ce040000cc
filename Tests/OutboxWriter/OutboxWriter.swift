internal import Errand
internal import ErrandLocks
internal import ErrandOutbox
internal import Foundation

/// Adds requests to an outbox, and sends them, until it is killed: `OutboxWriter FOLDER URL NAME COUNT`.
///
/// Says `added`, the queue, the text and the key of each request once it is kept, and `ended` and the key at its end. With a count of 0 it adds none, and ends when the outbox is
/// empty.
@main
struct OutboxWriter {
    private struct Post: Endpoint {
        typealias Response = Data
        let url: String
        let text: String
        var path: EndpointPath { .url(self.url) }
        var method: HTTPMethod { .post }
        var body: RequestBody { .text(self.text) }
    }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let count = Int(arguments[4]) else { exit(2) }
        let client = Client()
        var options = OutboxOptions()
        options.backoff = Backoff(base: .milliseconds(20), cap: .milliseconds(100))
        let outbox = try await Outbox.open(URL(filePath: arguments[1]), client: client, options: options) { item, end in
            guard case .sent = end else { return self.say("wrong: \(item) \(end)") }
            self.say("ended \(item.idempotencyKey)")
        }
        self.say("open")
        for number in 0..<count {
            let (queue, text) = ("queue-\(number % 2)", "\(arguments[3])-\(number)")
            let item = try await outbox.add(Post(url: "\(arguments[2])\(queue)", text: text), to: queue)
            self.say("added \(queue) \(text) \(item.idempotencyKey)")
        }
        while count > 0 { try await Task.sleep(for: .seconds(60)) }
        while try await !outbox.items().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        await outbox.close()
        self.say("done")
    }

    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
