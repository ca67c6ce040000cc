internal import Errand

extension MetricsOptions {
    /// Throws for invalid options.
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

    /// Checks that no two labels become equal when their dots are replaced, and that none is reserved by the formats.
    private func checkConstantLabels() throws(ErrandError) {
        let own = MetricLabel.selectable.union([.template, .cacheMiss, .overflow, "le", "quantile"])
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
