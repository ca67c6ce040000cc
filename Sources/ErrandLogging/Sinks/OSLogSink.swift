#if canImport(os)
    internal import os

    /// Writes lines to the unified log of Apple platforms.
    ///
    /// Lines are logged as public, since secrets have already been redacted. Use it with ``LogFormat/textWithoutTime``.
    public struct OSLogSink: LogSink {
        private let logger: Logger

        /// Creates a sink.
        ///
        /// - Parameters:
        ///   - subsystem: The subsystem, usually the identifier of the app.
        ///   - category: The category within the subsystem.
        public init(subsystem: String, category: String = "Errand") {
            self.logger = Logger(subsystem: subsystem, category: category)
        }

        /// Logs each line at the level of its severity.
        public func write(_ batch: LogBatch) {
            for line in batch.lines { self.logger.log(level: line.severity.type, "\(line.text, privacy: .public)") }
        }
    }

    extension LogSeverity {
        fileprivate var type: OSLogType {
            switch self {
            case .info: .info
            case .warning: .default
            case .error: .error
            }
        }
    }

    extension LogSink where Self == OSLogSink {
        /// Writes lines to the unified log.
        public static func osLog(subsystem: String, category: String = "Errand") -> OSLogSink {
            OSLogSink(subsystem: subsystem, category: category)
        }
    }
#endif
