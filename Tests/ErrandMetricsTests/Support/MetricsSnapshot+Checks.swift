internal import ErrandMetrics

extension MetricsSnapshot {
    /// Whether every gauge is at zero.
    var isAtRest: Bool {
        self.families.filter { $0.kind == .gauge }.flatMap(\.series).allSatisfy { $0.value == .gauge(0) }
    }

    /// The label sets of the figure that has most.
    var mostLabelSets: Int { self.families.map(\.series.count).max() ?? 0 }
}
