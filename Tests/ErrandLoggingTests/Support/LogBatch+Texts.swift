internal import ErrandLogging

extension LogBatch {
    /// A batch of lines that are worth no attention.
    init(texts: [String]) {
        self.init(texts.map { LogLine($0) })
    }
}
