internal import Errand

internal import struct Foundation.Data

/// Prints whole lines, one at a time, above a progress bar.
///
/// The first write error is reported once; after that, the failed stream is not written to any more.
actor Console {
    private let output: any TextSink
    private let errors: any TextSink
    private let hasColor: Bool
    private let onFailure: @Sendable (FileProblem) -> Void

    private var bar: ProgressBar?
    private var transfers: [TransferLine] = []
    /// The number of progress lines on the terminal.
    private var drawnCount = 0
    private var isOutputLost = false
    private var areErrorsLost = false

    /// Creates a console.
    ///
    /// - Parameters:
    ///   - output: The destination of results.
    ///   - errors: The destination of error messages.
    ///   - hasColor: True to color result lines.
    ///   - onFailure: Called once, when results can no longer be written.
    init(
        output: any TextSink, errors: any TextSink, hasColor: Bool = false,
        onFailure: @escaping @Sendable (FileProblem) -> Void = { _ in }
    ) {
        self.output = output
        self.errors = errors
        self.hasColor = hasColor
        self.onFailure = onFailure
    }

    // MARK: - Lines

    /// Prints a line of the results; `text` has no line break.
    func line(_ text: String, _ tone: Tone = .plain) {
        self.block((self.hasColor && !text.isEmpty ? tone.paint(text) : text) + "\n")
    }

    /// Prints a text among the results; `text` ends with a line break.
    func block(_ text: String) {
        self.eraseBar()
        self.write(text)
        self.drawBar()
    }

    /// Prints bytes among the results unchanged.
    func bytes(_ data: Data) {
        self.eraseBar()
        self.write(data)
    }

    /// Prints a line on the terminal beside the results; on a new line if the results end without a line break.
    func note(_ text: String, belowOpenLine isOpen: Bool) {
        guard self.errors.isTerminal else { return }
        self.writeError((isOpen && self.output.isTerminal ? "\n" : "") + text + "\n")
    }

    /// Prints an error message on a line of its own, after the program's name.
    func complain(_ text: String) {
        self.eraseBar()
        self.writeError("errand: \(Terminal.oneLine(text))\n")
        self.drawBar()
    }

    // MARK: - Progress

    /// True if the results are printed on a terminal.
    nonisolated var isTerminal: Bool { self.output.isTerminal }

    /// True if transfers are shown, which requires a terminal.
    nonisolated var showsTransfers: Bool { self.errors.isTerminal }

    /// Starts to show a progress bar.
    func beginProgress(_ place: ProgressBar.Destination, total: Int) {
        self.bar = ProgressBar(place, total: total)
        self.drawBar()
    }

    /// Increments the progress.
    func advanceProgress() {
        guard var bar = self.bar else { return }
        let isDrawn = self.sink(of: bar).isTerminal
        let isDue = bar.advance(steps: isDrawn ? 200 : 10)
        self.bar = bar
        guard isDue else { return }
        if isDrawn {
            self.drawBar()
        } else if bar.place == .output {
            self.write("   \(bar.count)\n")
        }
    }

    /// Shows the progress of transfers, replacing the previous lines: as many as fit, and the last one.
    func showTransfers(_ lines: [TransferLine]) {
        let room = max(0, self.errors.rows - 2)
        self.transfers = lines.prefix(room) + lines.dropFirst(room).suffix(1)
        self.drawBar()
    }

    /// Removes the progress from the terminal.
    func endProgress() {
        self.eraseBar()
        self.bar = nil
        self.transfers = []
    }

    private func drawBar() {
        guard self.progressSink.isTerminal, self.bar != nil || !self.transfers.isEmpty else { return }
        let columns = self.progressSink.columns
        let lines = self.bar.map { [$0.drawn(columns: columns)] } ?? self.transfers.map { $0.drawn(columns: columns) }
        self.write(Terminal.redraw(lines, over: self.drawnCount), at: self.bar?.place ?? .errors)
        self.drawnCount = lines.count
    }

    private func eraseBar() {
        guard self.drawnCount > 0 else { return }
        self.write(Terminal.erase(self.drawnCount), at: self.bar?.place ?? .errors)
        self.drawnCount = 0
    }

    private var progressSink: any TextSink { self.bar.map(self.sink) ?? self.errors }

    private func sink(of bar: ProgressBar) -> any TextSink {
        bar.place == .output ? self.output : self.errors
    }

    // MARK: - Writing

    private func write(_ text: String, at place: ProgressBar.Destination) {
        switch place {
        case .output: self.write(text)
        case .errors: self.writeError(text)
        }
    }

    private func write(_ text: String) {
        self.write(Data(text.utf8))
    }

    private func write(_ data: Data) {
        guard !self.isOutputLost else { return }
        do throws(FileProblem) {
            try self.output.write(data)
        } catch {
            self.isOutputLost = true
            self.onFailure(error)
        }
    }

    private func writeError(_ text: String) {
        guard !self.areErrorsLost else { return }
        do throws(FileProblem) {
            try self.errors.write(text)
        } catch {
            // There is no stream left on which to report it.
            self.areErrorsLost = true
        }
    }
}
