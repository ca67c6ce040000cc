public import Errand

/// Checks whether a transport keeps the promises of `Transport`, with any test framework or none.
///
/// Each case makes a server on this machine and a transport of its own, lets one fault or one habit of servers happen,
/// and compares what the transport makes of it with what it should. Then it sends one more request, which has to
/// succeed whatever came before, and shuts both down. With Swift Testing the whole suite is one test:
///
/// ```swift
/// @Test(arguments: TransportConformance.cases(for: [.sendsFiles, .decodesContent]))
/// func conforms(_ one: TransportConformance.Case) async throws {
///     try await one.run { SomeTransport() }
/// }
/// ```
///
/// Where RFC 9110 and RFC 9112 leave a choice, the title of a case says which answers are taken. An error is preferred
/// to a guess wherever two recipients could come to different ends of a message (RFC 9112 §6.3).
///
/// Needs no network but the loopback interface, and up to 64 connections to one host at once. Some cases are about tens
/// of megabytes, and one about a hundred thousand header lines; all of them together take seconds.
public enum TransportConformance {
    /// All cases but those about deadlines, whatever a transport can do.
    public static let cases: [Case] = [
        statusLineCases, fieldCases, interimCases, bodilessCases, lengthCases, chunkedCases, codingCases,
        codingEndCases,
        limitCases, redirectionCases, challengeCases, endingCases, connectionCases, raceCases, requestHeadCases,
        requestContentCases, requestFileCases, requestStreamCases, earlyAnswerCases, duplexCases, streamCases,
        streamEndingCases,
        fileCases,
        cancellingCases, manyCases, eventCases, shutdownCases, refusalCases,
    ].flatMap(\.self)

    /// Cases about the deadlines of a client that uses the transport, at each point at which a server can stall.
    ///
    /// A transport has no deadlines of its own, but it has to let go at once when one of the client's has passed.
    public static let deadlineCases: [Case] = [
        attemptDeadlineCases, totalDeadlineCases, connectDeadlineCases, firstByteDeadlineCases, idleDeadlineCases,
    ].flatMap(\.self)

    /// The cases that are meant for a transport with certain abilities; the others make no sense for it.
    public static func cases(for abilities: Abilities) -> [Case] {
        self.cases.filter { $0.isMeant(for: abilities) }
    }

    /// The cases about deadlines that are meant for a transport with certain abilities.
    public static func deadlineCases(for abilities: Abilities) -> [Case] {
        self.deadlineCases.filter { $0.isMeant(for: abilities) }
    }

    /// Runs cases one after another and answers what went wrong; for those who use no test framework.
    ///
    /// - Parameters:
    ///   - cases: The cases to run.
    ///   - makeTransport: Makes the transport for one case.
    /// - Returns: The failures, none if the transport conforms.
    public static func failures(
        in cases: [Case], of makeTransport: @escaping @Sendable () throws -> any Transport
    ) async -> [ConformanceFailure] {
        var failures: [ConformanceFailure] = []
        for one in cases {
            do throws(ConformanceFailure) {
                try await one.run(against: makeTransport)
            } catch {
                failures.append(error)
            }
        }
        return failures
    }
}
