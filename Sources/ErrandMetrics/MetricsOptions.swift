internal import Errand

/// What a ``MetricsAccessory`` keeps.
public struct MetricsOptions: Sendable {
    /// What requests are told apart by; the fewer, the fewer lines.
    public var labels = MetricLabel.standard
    /// Labels with the same value on every figure, such as the name of the app; those without a text are left out.
    public var constantLabels: [MetricLabel: String] = [:]
    /// The upper bounds of the buckets of all durations, in seconds, ascending; those that OpenTelemetry recommends.
    public var durationBounds: [Double] = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
    /// The upper bounds of the buckets of all sizes, in bytes, ascending; 1 KiB to 1 GiB.
    public var sizeBounds: [Double] = (5...15).map { Double(1 << (2 * $0)) }
    /// How many sets of labels each figure has at most.
    ///
    /// One of them is for everything that comes when the others are taken; it has the label ``MetricLabel/overflow``.
    public var labelSetLimit = 1000
    /// The clock of ``MetricsAccessory/snapshots(every:)`` and of the times to the first byte.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Creates the standard options.
    public init() {}
}

// MARK: - Checking

extension MetricsOptions {
    /// The largest ``labelSetLimit``.
    public static let greatestLabelSetLimit = 100_000
    /// The largest number of bounds.
    public static let greatestBoundCount = 1000

    /// Checks that figures can be kept in this way.
    func validate() throws(ErrandError) {
        try Self.check(self.durationBounds, "durationBounds")
        try Self.check(self.sizeBounds, "sizeBounds")
        guard 1...Self.greatestLabelSetLimit ~= self.labelSetLimit else {
            throw .invalidOption("labelSetLimit is \(self.labelSetLimit), not in 1...\(Self.greatestLabelSetLimit)")
        }
        if let label = self.labels.subtracting(MetricLabel.selectable).min(by: { $0.rawValue < $1.rawValue }) {
            throw .invalidOption("labels has \"\(label)\", by which requests cannot be told apart")
        }
        try self.checkConstantLabels()
    }

    private static func check(_ bounds: [Double], _ name: String) throws(ErrandError) {
        guard 1...Self.greatestBoundCount ~= bounds.count else {
            throw .invalidOption("\(name) has \(bounds.count) bounds, not 1...\(Self.greatestBoundCount)")
        }
        for (index, bound) in bounds.enumerated() {
            guard bound.isFinite, bound >= 0 else {
                throw .invalidOption("\(name) has \(bound), which is not finite, or negative")
            }
            guard index == 0 || bounds[index - 1] < bound else {
                throw .invalidOption("\(name) does not ascend at \(bound)")
            }
        }
    }

    /// Two labels must not become one when their dots do, nor one that the formats use themselves.
    private func checkConstantLabels() throws(ErrandError) {
        let own = MetricLabel.selectable.union([.cacheMiss, .overflow, "le", "quantile"])
        var taken = Dictionary(own.map { (LabelText.name(of: $0), $0) }) { first, _ in first }
        for label in self.constantLabels.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            let name = LabelText.name(of: label)
            guard !label.rawValue.isEmpty, !name.hasPrefix("__") else {
                throw .invalidOption("constantLabels has \"\(label)\": a name must not be empty or begin with __")
            }
            if let other = taken.updateValue(label, forKey: name) {
                throw .invalidOption(
                    "constantLabels has \"\(label)\", which is written as \(name), and so is \"\(other)\"")
            }
        }
    }
}

extension ErrandError {
    fileprivate static func invalidOption(_ message: String) -> ErrandError {
        ErrandError(.invalidConfiguration, "metrics: \(message)")
    }
}
