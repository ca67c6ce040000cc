internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

/// The suite notices what is done wrong.
@Suite(.timeLimit(.minutes(60)), .paced)
struct ConformanceDefectTests {
    /// What is done wrong, and cases that must notice.
    static let table: [(defect: PlainTransport.Defect, cases: [String])] = [
        (.changesBodies, ["length", "chunked", "until-close", "large", "many-at-once"]),
        (.swallowsErrors, ["length-too-long", "chunked-cut-in-a-chunk", "reset-in-the-body", "stream-cut"]),
        (.ignoresLimits, ["limit-passed", "limit-passed-chunked", "limit-zero-passed"]),
        (.countsFirstLength, ["length-conflicting", "length-conflicting-downwards"]),
        (.followsRedirects, ["redirect-301", "redirect-308", "redirect-of-a-post"]),
        (.sendsEverythingAgain, ["close-race-post"]),
        (.sendsNothingAgain, ["close-race-get"]),
        (.keepsNoConnection, ["keep-alive", "keep-alive-chunked", "many-in-a-row"]),
        (.keepsEveryConnection, ["length-too-short", "length-hides-a-response"]),
        (.reportsInterimHeads, ["events-interim"]),
        (.reportsNoProgress, ["events-received", "events-sent", "events-sent-stream"]),
        (.mergesFields, ["field-set-cookie", "field-repeated-apart"]),
        (.sendsNoLengthOfNothing, ["content-none-post"]),
        (.readsAhead, ["stream-held-back"]),
        (.leavesFiles, ["file-cut", "file-cancelled", "file-bad-chunk"]),
        (.overwritesFiles, ["file-exists"]),
        (.asksAhead, ["sends-stream-held-back"]),
        (.sendsStreamsAsTheyAre, ["sends-stream-too-long"]),
        (.ignoresStatus, ["status-204-with-content"]),
        (.sendsAfterCancelling, ["cancel-before"]),
        (.answersAfterShutdown, ["shutdown-then-exchange"]),
        (.mixesConnectionsUp, ["many-to-two-servers"]),
        (.stopsSendingAtHead, ["head-before-content"]),
        (.losesSmallPieces, ["drip-request"]),
    ]

    @Test(arguments: table.flatMap { row in row.cases.map { (row.defect, $0) } })
    func `a broken promise is noticed`(defect: PlainTransport.Defect, id: String) async throws {
        let one = try #require(TransportConformance.cases.first { $0.id == id })
        let failure = await #expect(throws: ConformanceFailure.self) {
            // A file that stays is noticed by the end of patience only.
            try await one.run(within: .seconds(5)) { PlainTransport(defect) }
        }
        #expect(failure?.caseID == id)
    }

    #if os(Linux)
        @Test(
            arguments: OneWayTransport.Defect.allCases,
            ["duplex-interleaved", "duplex-drip", "duplex-server-first"])
        func `it is noticed that bodies go one way only`(defect: OneWayTransport.Defect, id: String) async throws {
            let one = try #require(TransportConformance.cases.first { $0.id == id })
            let failure = await #expect(throws: ConformanceFailure.self) {
                // Whoever waits for the other one waits for ever.
                try await one.run(within: .seconds(1)) { OneWayTransport(defect) }
            }
            #expect(failure?.caseID == id)
        }
    #endif
}
