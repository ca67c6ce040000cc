public import Errand

/// Checks whether a transport meets the requirements of `Transport`, with or without a test framework.
///
/// Each case starts a local server and creates a new transport, provokes one fault or one habit of servers, and
/// compares the transport's behavior with the requirement. Then it sends one more request, which must succeed whatever
/// came before, and shuts both down. With Swift Testing the whole suite is one test:
///
/// ```swift
/// @Test(arguments: TransportConformance.cases(for: [.sendsFiles, .decodesContent]))
/// func conforms(_ one: TransportConformance.Case) async throws {
///     try await one.run { SomeTransport() }
/// }
/// ```
///
/// Where RFC 9110 and RFC 9112 leave a choice, the title of a case says which outcomes are accepted. An error is
/// preferred to a guess wherever two recipients could disagree about the end of a message (RFC 9112 §6.3).
///
/// The cases only need the loopback interface, and up to 64 connections to one host at once. Some transfer tens of
/// megabytes, and one a hundred thousand header lines; all of them together take seconds.
public enum TransportConformance {
    /// All cases but those about deadlines, for transports with any abilities.
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
    /// A transport has no deadlines of its own, but must end an exchange at once when one of the client's has expired.
    public static let deadlineCases: [Case] = [
        attemptDeadlineCases, totalDeadlineCases, connectDeadlineCases, firstByteDeadlineCases, idleDeadlineCases,
    ].flatMap(\.self)

    /// Returns the cases that apply to a transport with the given abilities.
    public static func cases(for abilities: Abilities) -> [Case] {
        self.cases.filter { $0.isMeant(for: abilities) }
    }

    /// Returns the cases about deadlines that apply to a transport with the given abilities.
    public static func deadlineCases(for abilities: Abilities) -> [Case] {
        self.deadlineCases.filter { $0.isMeant(for: abilities) }
    }

    /// Runs cases one after another and returns the failures, for use without a test framework.
    ///
    /// - Parameters:
    ///   - cases: The cases to run.
    ///   - makeTransport: Creates the transport for one case.
    /// - Returns: The failures; empty if the transport conforms.
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
