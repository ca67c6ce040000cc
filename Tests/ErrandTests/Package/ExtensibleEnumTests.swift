internal import Foundation
internal import TestEffort
internal import Testing

@Suite("The package: enums that may get more cases", .timeLimit(.minutes(60)), .paced)
struct ExtensibleEnumTests {
    private func sources() throws -> URL {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
            guard folder.path != "/" else { throw CocoaError(.fileNoSuchFile) }
            folder.deleteLastPathComponent()
        }
        return folder.appending(path: "Sources")
    }

    @Test(arguments: [
        ("Errand/Declaring/Accessory/Accessory.swift", "Event"),
        ("Errand/Declaring/Accessory/RequestActivity.swift", "Kind"),
        ("Errand/Sending/Connectivity/NetworkPath.swift", "Interface"),
        ("Errand/Sending/Transport/ExchangeEvent.swift", "ExchangeEvent"),
        ("Errand/Storing/Entries/CacheMiss.swift", "CacheMiss"),
        ("Errand/Values/HTTP/ExchangeMetrics.swift", "HTTPVersion"),
        ("Errand/Values/HTTP/ResponseSource.swift", "ResponseSource"),
        ("Errand/Values/HTTP/ErrandError+Retry.swift", "Reason"),
        ("Errand/Values/HTTP/ErrandError+Retry.swift", "RetryRefusal"),
        ("ErrandMetrics/Values/MetricFamily.swift", "Kind"), ("ErrandMetrics/Values/MetricFamily.swift", "Unit"),
        ("ErrandMetrics/Values/MetricFamily.swift", "MetricValue"),
        ("ErrandOutbox/Values/OutboxItem.swift", "OutboxEnd"), ("ErrandOutbox/Values/OutboxItem.swift", "OutboxEvent"),
        ("ErrandTimeline/Values/Timeline.swift", "Kind"),
    ])
    func `need an unknown default in a switch outside of the package`(file: String, name: String) throws {
        let text = try String(contentsOf: self.sources().appending(path: file), encoding: .utf8)
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let line = try #require(lines.firstIndex { $0.hasPrefix("public enum \(name):") })
        #expect(Array(lines[(line - 3)..<line]) == ["#if hasAttribute(nonexhaustive)", "@nonexhaustive", "#endif"])
    }

    @Test func `the compiler knows the attribute`() {
        #if compiler(>=6.3) && !hasAttribute(nonexhaustive)
            Issue.record("the attribute is silently off")
        #endif
    }
}
