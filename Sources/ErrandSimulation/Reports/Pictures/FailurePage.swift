/// A page that shows a failing schedule: one lane per task, with a box for each of its steps.
///
/// Time goes down. The page is self-contained, has no script, and its policy forbids it to load anything.
struct FailurePage {
    /// The largest number of tasks with a lane of their own; the others share one.
    private static let mostLanes = 24

    private let failure: SimulationFailure
    private let title: String
    private let lanes: [Simulation.ScheduledTask]

    init(_ failure: SimulationFailure, title: String) {
        self.failure = failure
        self.title = Markup.escaped(title)
        let busiest = failure.tasks.filter { $0.steps > 0 }
        self.lanes = Array(busiest.prefix(Self.mostLanes))
    }

    /// The HTML document.
    var text: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
        base-uri 'none'; form-action 'none'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(self.title)</title>
        <style>\(PageStyle.sheet)</style>
        </head>
        <body>
        <header><h1>\(self.title)</h1>
        <p class="error">\(Markup.escaped(String(describing: self.failure.underlying)))</p>
        <p>Schedule <code>\(Markup.escaped(self.failure.schedule.description))</code></p>
        <p class="key">Time goes down. A box is a step of the task above it, with its number; an actor runs the round ones. A
        marked step is a switch: it departs from the default order.</p></header>
        <main>\(self.table)</main>
        \(self.trace)
        </body>
        </html>

        """
    }

    // MARK: - Private helpers

    private var table: String {
        guard !self.failure.timeline.isEmpty else {
            return "<p>There is no timeline: the failure was not seen again in the same order.</p>"
        }
        let rows = TimelineTable(self.failure.timeline, lanes: self.lanes)
        return """
            <table>
            <thead>\(rows.head)</thead>
            <tbody>
            \(rows.body)\(self.end(columns: rows.columns))</tbody>
            </table>
            """
    }

    /// The row below the last step.
    private func end(columns: Int) -> String {
        let error = Markup.escaped(String(describing: self.failure.underlying))
        return "<tr class=\"end\"><td colspan=\"\(columns)\">\(error)</td></tr>\n"
    }

    private var trace: String {
        guard !self.failure.trace.isEmpty else { return "" }
        let lines = self.failure.trace.map { Markup.escaped($0) }.joined(separator: "\n")
        return "<details><summary>Trace</summary><pre>\(lines)</pre></details>"
    }
}

extension SimulationFailure {
    /// Returns a page that shows the failing schedule: one lane per task, its steps in order, and the switches marked.
    ///
    /// The page is self-contained and loads no resources. The same failure gives the same text. Of a very long run, the
    /// last steps are shown.
    ///
    /// - Parameter title: The title of the page, for example the name of the test.
    /// - Returns: An HTML document.
    /// - Complexity: O(*steps* × *tasks*), where no more than a few thousand steps and two dozen tasks are drawn.
    public func html(title: String = "A failing schedule") -> String {
        FailurePage(self, title: title).text
    }
}
