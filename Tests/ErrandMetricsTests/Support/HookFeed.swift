internal import Errand
internal import ErrandMetrics
internal import Foundation
internal import Synchronization

/// Calls the hooks and events of an accessory as the work of requests would, without the work.
final class HookFeed: Sendable {
    private let accessory: any Accessory
    private let requests: [HTTPRequest]
    private let count = Atomic<Int>(0)

    init(_ accessory: any Accessory, hosts: Int = 8) throws {
        self.accessory = accessory
        self.requests = try (0..<hosts).map { HTTPRequest(url: try HTTPURL("http://host\($0).test/")) }
    }

    /// How many hooks and events there were.
    var events: Int { self.count.load(ordering: .relaxed) }

    /// Plays so many requests, each with eight hooks and events.
    func run(_ number: Int) async {
        for index in 0..<number { await self.play(self.requests[index % self.requests.count], fails: index % 7 == 0) }
    }

    private func play(_ request: HTTPRequest, fails: Bool) async {
        let activity = RequestActivity(
            id: .next(), kind: .request, type: TextCall.self, request: request)
        let head = HTTPResponse.Head(status: fails ? 503 : 200)
        let error = ErrandError(.unacceptableStatus, "no")
        let end = RequestActivity.End.made(
            fails ? .failed(error) : .finished, status: head.status, size: 10,
            ExchangeMetrics.Timings(total: .milliseconds(3)))
        self.accessory.willStart(activity)
        self.accessory.didStart(activity)
        self.accessory.observe(.queued, of: activity)
        self.accessory.observe(.attemptStarted(1), of: activity)
        self.accessory.observe(.responseHead(head), of: activity)
        self.accessory.observe(.received(TransferProgress(bytes: 10, total: 10)), of: activity)
        self.accessory.willStop(activity, end)
        self.accessory.didStop(activity, end)
        self.count.add(8, ordering: .relaxed)
    }

    #if os(Linux)
        /// The memory of this process that is in use.
        static var residentKiB: Int {
            let text = String(
                decoding: FileManager.default.contents(atPath: "/proc/self/status") ?? Data(), as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
    #endif
}
