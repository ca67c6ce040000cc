internal import Errand
internal import Foundation

/// The result of one URL.
struct GetResult: Sendable, Hashable {
    /// The reason why there is no response.
    struct Problem: Sendable, Hashable {
        let code: String
        let message: String
    }

    /// The URL for output; see ``Fetch/shownURL(showingSecrets:)``.
    let url: String
    /// The status code, if there was a response.
    var status: Int?
    /// The size of the body in bytes.
    var bytes: Int?
    /// The duration in seconds, if the request was started.
    var seconds: Double?
    /// The path of the file with the body, if there is one.
    var file: String?
    /// The source of the response, if responses are cached.
    var source: ResponseSource?
    /// The reason why there is no response.
    var problem: Problem?

    /// True if the program fails because of it: an error, or a status of 400 or above.
    var isFailure: Bool { self.problem != nil || (self.status ?? 0) >= 400 }
}

extension GetResult {
    /// Extracts the printed values from an outcome, so that the body need not be kept.
    init(_ outcome: BatchOutcomes<Fetch>.Outcome, duration: Duration?, showingSecrets: Bool) {
        self.url = outcome.endpoint.shownURL(showingSecrets: showingSecrets)
        switch outcome.response {
        case .success(let response):
            self.status = response.head.status.code
            self.bytes = Int(response.value.size)
            self.file = outcome.endpoint.file?.path
            self.source = outcome.endpoint.caching == .never ? nil : response.source
            self.seconds = response.timings.total / .seconds(1)
        case .failure(let error):
            self.status = error.context.status?.code
            self.seconds = duration.map { $0 / .seconds(1) }
            self.problem = Problem(code: error.code.description, message: error.fullMessage)
        }
    }
}
