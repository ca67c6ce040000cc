internal import ErrandMetrics

extension MetricsSnapshot {
    /// Whether every gauge is at zero.
    var isAtRest: Bool {
        self.families.filter { $0.kind == .gauge }.flatMap(\.series).allSatisfy { $0.value == .gauge(0) }
    }

    /// Whether the numbers of every figure are what it says they are.
    var isOfItsKinds: Bool {
        self.families.allSatisfy { family in
            family.series.allSatisfy { series in
                switch series.value {
                case .counter: family.kind == .counter
                case .gauge: family.kind == .gauge
                case .histogram: family.kind == .histogram
                }
            }
        }
    }

    /// The label sets of the figure that has most.
    var mostLabelSets: Int { self.families.map(\.series.count).max() ?? 0 }
}
