/// Writes figures line by line.
///
/// Names follow the OpenTelemetry rules for Prometheus: dots become underscores, followed by the unit and, for
/// counters, `_total`. OpenMetrics omits `_total` from the family name, and adds lines for units and the end.
struct ExpositionWriter {
    private let format: ExpositionFormat
    private var text = ""

    init(_ format: ExpositionFormat) {
        self.format = format
    }

    mutating func write(_ family: MetricFamily) {
        let base = LabelText.legal(family.name.rawValue) + (family.unit == .none ? "" : "_\(family.unit.rawValue)")
        let isCounter = family.kind == .counter
        let name = isCounter && self.format == .prometheus ? base + "_total" : base
        self.text += "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.kind.rawValue)\n"
        if self.format == .openMetrics, family.unit != .none { self.text += "# UNIT \(name) \(family.unit.rawValue)\n" }
        for series in family.series { self.write(series, base) }
    }

    mutating func finish() -> String {
        if self.format == .openMetrics { self.text += "# EOF\n" }
        return self.text
    }

    // MARK: - Samples

    private mutating func write(_ series: MetricSeries, _ name: String) {
        let labels = LabelText.pairs(series.labels)
        switch series.value {
        case .counter(let number): self.sample("\(name)_total", labels, NumberText.of(number))
        case .gauge(let number): self.sample(name, labels, NumberText.of(number))
        case .histogram(let histogram): self.write(histogram, name, labels)
        }
    }

    private mutating func write(_ histogram: HistogramValue, _ name: String, _ labels: String) {
        let (bucket, start) = ("\(name)_bucket", labels.isEmpty ? "" : "\(labels),")
        var count: UInt64 = 0
        for (index, bound) in histogram.bounds.enumerated() {
            count &+= histogram.counts[index]
            self.sample(bucket, "\(start)le=\"\(NumberText.ofBound(bound))\"", "\(count)")
        }
        self.sample(bucket, "\(start)le=\"+Inf\"", "\(histogram.count)")
        self.sample("\(name)_sum", labels, NumberText.of(histogram.sum))
        self.sample("\(name)_count", labels, "\(histogram.count)")
    }

    private mutating func sample(_ name: String, _ labels: String, _ value: String) {
        self.text += name
        if !labels.isEmpty {
            self.text += "{"
            self.text += labels
            self.text += "}"
        }
        self.text += " "
        self.text += value
        self.text += "\n"
    }
}

/// Labels in the syntax of the formats.
enum LabelText {
    /// Formats labels in the order of their names.
    static func pairs(_ labels: [MetricLabel: String]) -> String {
        labels.map { (self.name(of: $0), $1) }.sorted { $0.0 < $1.0 }
            .map { "\($0)=\"\(self.escaped($1))\"" }.joined(separator: ",")
    }

    /// The name of a label: letters, digits and underscores, without a leading digit.
    static func name(of label: MetricLabel) -> String {
        self.legal(label.rawValue)
    }

    /// Replaces every character that is not allowed in a name with an underscore.
    static func legal(_ name: String) -> String {
        let legal = String(name.unicodeScalars.map { $0.isInNames ? Character($0) : "_" })
        return legal.unicodeScalars.first?.properties.numericType == nil ? legal : "_" + legal
    }

    /// Escapes backslashes, quotes and line feeds in a value.
    ///
    /// Works on bytes, since a carriage return followed by a line feed is one character in Swift.
    static func escaped(_ value: String) -> String {
        guard value.utf8.contains(where: { self.escapes[$0] != nil }) else { return value }
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            if let escape = self.escapes[byte] { bytes += escape } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let escapes: [UInt8: [UInt8]] = [
        UInt8(ascii: "\\"): Array(#"\\"#.utf8), UInt8(ascii: "\""): Array(#"\""#.utf8),
        UInt8(ascii: "\n"): Array(#"\n"#.utf8),
    ]
}

/// Numbers in the syntax of the formats.
enum NumberText {
    /// Formats a number, without a decimal point if it is a whole number that is exact.
    static func of(_ number: Double) -> String {
        Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    /// Formats a bound in the canonical form of OpenMetrics: always with a decimal point, and with an exponent from a
    /// million on.
    static func ofBound(_ bound: Double) -> String {
        let text = "\(bound)"
        guard bound >= 1e6, let point = text.firstIndex(of: "."), !text.contains("e") else { return text }
        let digits = text[..<point]
        var fraction = (digits.dropFirst() + text[point...].dropFirst())[...]
        while fraction.last == "0" { fraction.removeLast() }
        let exponent = digits.count - 1
        return "\(digits.prefix(1))\(fraction.isEmpty ? "" : ".")\(fraction)e+\(exponent < 10 ? "0" : "")\(exponent)"
    }
}

extension Unicode.Scalar {
    fileprivate var isInNames: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}
