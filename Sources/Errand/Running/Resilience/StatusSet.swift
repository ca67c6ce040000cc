/// A set of statuses that are failures, which tells most of those that are none at a glance.
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
