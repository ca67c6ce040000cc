/// The table of the page that shows a failing schedule, with one row per step.
struct TimelineTable {
    /// The largest number of steps that are drawn.
    private static let mostSteps = 2_000

    private let steps: ArraySlice<Simulation.Step>
    private let hidden: Int
    private let lanes: [Simulation.ScheduledTask]
    private let positions: [String: Int]
    private let hasOthers: Bool

    init(_ timeline: [Simulation.Step], lanes: [Simulation.ScheduledTask]) {
        self.steps = timeline.suffix(Self.mostSteps)
        self.hidden = timeline.count - self.steps.count
        self.lanes = lanes
        let positions = Dictionary(lanes.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        self.positions = positions
        self.hasOthers = self.steps.contains { positions[$0.task] == nil }
    }

    /// The number of columns.
    var columns: Int { self.laneCount + 2 }

    /// The header row.
    var head: String {
        let lanes = self.lanes.map { "<th scope=\"col\">\(self.title($0))</th>" }.joined()
        let others = self.hasOthers ? "<th scope=\"col\">others</th>" : ""
        return "<tr><th scope=\"col\">Time</th>\(lanes)\(others)<th scope=\"col\" class=\"what\">What</th></tr>"
    }

    /// The rows of the steps.
    var body: String {
        var (rows, time) = ([] as [String], nil as Duration?)
        if self.hidden > 0 {
            rows.append("<tr><td colspan=\"\(self.columns)\">… \(self.hidden) steps before</td></tr>\n")
        }
        for step in self.steps {
            rows.append(self.row(step, isLater: step.time != time))
            time = step.time
        }
        return rows.joined()
    }

    // MARK: - Private helpers

    private var laneCount: Int { self.lanes.count + (self.hasOthers ? 1 : 0) }

    private func title(_ task: Simulation.ScheduledTask) -> String {
        let name = task.id == "." ? "the body" : task.name ?? ""
        let label = name.isEmpty ? "" : "<br><small>\(Markup.escaped(name))</small>"
        return "<code>\(Markup.escaped(task.id))</code>\(label)"
    }

    private func row(_ step: Simulation.Step, isLater: Bool) -> String {
        let lane = self.positions[step.task] ?? self.lanes.count
        let before = String(repeating: "<td></td>", count: lane)
        let after = String(repeating: "<td></td>", count: self.laneCount - lane - 1)
        let time = isLater ? Markup.escaped("\(step.time)") : ""
        let style = step.isSwitch ? " class=\"switch\"" : ""
        return "<tr\(style)><th scope=\"row\">\(time)</th>\(before)<td>\(self.box(step, lane))</td>\(after)"
            + "<td class=\"what\">\(self.what(step))</td></tr>\n"
    }

    private func box(_ step: Simulation.Step, _ lane: Int) -> String {
        let kind = Markup.escaped(step.kind.description)
        let mark = step.isSwitch ? " switch" : ""
        let hover = Markup.escaped("step \(step.number) of \(step.name ?? step.task): \(step.kind)")
        let label = self.positions[step.task] == nil ? Markup.escaped(step.task) + "\(step.number)" : "\(step.number)"
        return "<span class=\"step l\(lane % PageStyle.colours) k-\(kind)\(mark)\" title=\"\(hover)\">\(label)</span>"
    }

    private func what(_ step: Simulation.Step) -> String {
        let parts = [
            step.isSwitch ? "<b>switch</b>" : "",
            step.kind == .task ? "" : Markup.escaped(step.kind.description),
            Markup.escaped(TimelineText.text([step])),
        ]
        return parts.filter { !$0.isEmpty }.joined(separator: " · ")
    }
}
