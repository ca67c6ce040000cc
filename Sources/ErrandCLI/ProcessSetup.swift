internal import Dispatch
internal import Foundation

/// Settings of the process that are made before anything else runs.
enum ProcessSetup {
    /// Opens standard descriptors that are closed: otherwise the first sockets would use their numbers.
    static func fillStandardDescriptors() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    /// Makes a write to a closed pipe or socket fail, instead of ending the process.
    static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Removes proxies from the environment, since a local server needs none.
    static func forgetProxies() {
        for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            _ = unsafe unsetenv(name)
        }
    }
}

/// Turns termination signals into an interruption; the second one ends the process at once.
final class SignalWatch {
    private let sources: [any DispatchSourceSignal]

    /// Watches until it is released.
    init(_ interruption: Interruption) {
        self.sources = [SIGINT, SIGTERM].map { number in
            // The dispatch source receives the signal; it must not end the process.
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if case .signal? = interruption.reason { _exit(128 + number) }
                interruption.raise(.signal(number))
            }
            source.resume()
            return source
        }
    }

    deinit {
        for source in self.sources { source.cancel() }
    }
}
