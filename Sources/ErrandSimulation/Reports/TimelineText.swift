/// Formats a timeline as plain text: one line for each stretch in which a task ran without a switch.
struct TimelineText {
    private let steps: [Simulation.Step]

    init(_ steps: [Simulation.Step]) {
        self.steps = steps
    }

    /// The largest number of events in a line.
    private static let mostEvents = 10

    /// Formats the start and the events of consecutive steps, truncated to a limit.
    static func text(_ steps: some Sequence<Simulation.Step>) -> String {
        var (texts, last) = ([] as [String], nil as Simulation.CodeLocation?)
        for step in steps {
            if let place = step.place, place != last {
                texts.append(self.text(place, after: last))
                last = place
            }
            texts += step.events.map(self.text)
        }
        texts = self.collapsed(texts)
        let hidden = texts.count - self.mostEvents
        let shown = texts.prefix(self.mostEvents).joined(separator: ", ")
        return hidden > 0 ? "\(shown), and \(hidden) more" : shown
    }

    /// The lines; a switch is marked with `>`.
    var lines: [String] {
        self.stretches.compactMap(self.line)
    }

    // MARK: - Private helpers

    private var stretches: [ArraySlice<Simulation.Step>] {
        var (stretches, start) = ([] as [ArraySlice<Simulation.Step>], 0)
        for index in self.steps.indices where index > 0 {
            let (before, step) = (self.steps[index - 1], self.steps[index])
            guard step.isSwitch || step.task != before.task || step.time != before.time else { continue }
            stretches.append(self.steps[start..<index])
            start = index
        }
        return stretches + (self.steps.isEmpty ? [] : [self.steps[start...]])
    }

    private func line(_ stretch: ArraySlice<Simulation.Step>) -> String? {
        guard let first = stretch.first, let last = stretch.last else { return nil }
        let numbers = first.number == last.number ? "\(first.number)" : "\(first.number)-\(last.number)"
        let name = first.name.map { " \"\($0)\"" } ?? ""
        let events = Self.text(stretch)
        let head = "[\(first.time)] \(first.isSwitch ? ">" : " ") \(first.task)\(name) \(numbers)"
        return events.isEmpty ? head : "\(head): \(events)"
    }

    /// Replaces consecutive equal texts with one and its count.
    private static func collapsed(_ texts: [String]) -> [String] {
        var collapsed: [(text: String, count: Int)] = []
        for text in texts {
            if let last = collapsed.last, last.text == text {
                collapsed[collapsed.count - 1].count += 1
            } else {
                collapsed.append((text, 1))
            }
        }
        return collapsed.map { $0.count == 1 ? $0.text : "\($0.text) (\($0.count) times)" }
    }

    /// Formats a code location; within the function of the previous one, only the line.
    private static func text(_ place: Simulation.CodeLocation, after last: Simulation.CodeLocation?) -> String {
        guard let last, let line = place.line, (place.function, place.file) == (last.function, last.file) else {
            return "in \(place)"
        }
        return "at line \(line)"
    }

    private static func text(_ event: Simulation.Step.Event) -> String {
        switch event {
        case .started(let task): "starts \(task)"
        case .resumed(let task): "makes \(task) ready"
        case .enteredActor: "asks for an actor"
        case .yielded: "yields"
        case .noted(let line): "\"\(line)\""
        }
    }
}
