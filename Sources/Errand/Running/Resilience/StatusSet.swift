/// A set of failure statuses, with a fast path for most other statuses.
struct StatusSet: Sendable {
    private let statuses: Set<HTTPStatus>
    private let lowest: Int

    init(_ statuses: Set<HTTPStatus>) {
        self.statuses = statuses
        self.lowest = statuses.map(\.code).min() ?? .max
    }

    func contains(_ status: HTTPStatus) -> Bool {
        status.code >= self.lowest && self.statuses.contains(status)
    }
}
