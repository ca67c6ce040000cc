internal import Dispatch
internal import Foundation

/// What the process asks of its surroundings before anything else runs.
enum ProcessSetup {
    /// Opens standard descriptors that are closed: otherwise the first sockets would take their place.
    static func fillStandardDescriptors() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    /// Makes writing to a pipe or socket that nobody reads an error of that write, not the end of the process.
    static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Forgets proxies that the environment names: what is on this machine needs none.
    static func forgetProxies() {
        for name in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            _ = unsafe unsetenv(name)
        }
    }
}

/// Turns the signals that ask for an end into an interruption; the second one ends the process at once.
final class SignalWatch {
    private let sources: [any DispatchSourceSignal]

    /// Watches until it is let go of.
    init(_ interruption: Interruption) {
        self.sources = [SIGINT, SIGTERM].map { number in
            // The source is told of the signal; the process shall not die of it.
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
