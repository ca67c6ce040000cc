internal import ErrandMetrics
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Metrics: the page", .timeLimit(.minutes(60)), .paced)
struct MetricsPageTests {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()

    private func page() throws -> String {
        let root = Self.here.appending(path: "../../..").standardized
        let path = "Sources/ErrandMetrics/ErrandMetrics.docc/ErrandMetrics.md"
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private func normalized(_ text: some StringProtocol) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test func `every Swift block stands in a test that runs it`() throws {
        let examples = self.normalized(
            try String(contentsOf: Self.here.appending(path: "MetricsExamples.swift"), encoding: .utf8))
        let parts = try self.page().components(separatedBy: "```swift\n")
        var compiled = 0
        for (before, part) in zip(parts, parts.dropFirst()) where !before.hasSuffix("<!-- not compiled -->\n") {
            let code = try #require(part.components(separatedBy: "\n```").first)
            #expect(examples.contains(self.normalized(code)), "\(code)")
            compiled += 1
        }
        #expect(compiled >= 6)
    }

    @Test func `every figure is in the table`() throws {
        let page = try self.page()
        let names: [MetricName] = [
            .attemptDuration, .requestDuration, .requestBodySize, .responseBodySize, .activeRequests, .waitingRequests,
            .queueDuration,
            .attempts, .failedAttempts, .firstByteDuration, .sentBytes, .receivedBytes, .cacheHits, .cacheMisses,
            .cacheRevalidations,
            .activeBatches, .batchDuration, .activeChains, .chainDuration,
        ]
        for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
        let labels = MetricLabel.selectable.union([.template, .cacheMiss, .overflow])
        for label in labels { #expect(page.contains("`\(label)`"), "\(label)") }
    }
}
