#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable internal import Errand
    #endif
    /// The behavior of a URLSession transport with a stream as the destination.
    package enum URLSessionStreaming: Sendable {
        /// The task is suspended while the stream is full.
        case heldBack
        /// Bytes wait in memory without a limit: for bodies that are known to be small, as in tests.
        case unbounded
        /// The exchange is rejected.
        case refused

        /// The behavior for the platform.
        static var platform: URLSessionStreaming {
            #if canImport(FoundationNetworking)
                // On this platform, a suspended task starts again when it is resumed.
                .refused
            #else
                .heldBack
            #endif
        }

        /// Checks that a destination is supported.
        ///
        /// - Throws: ``ErrandError`` if it is not.
        func check(_ destination: ExchangeContext.BodyDestination) throws(ErrandError) {
            guard self == .refused, case .stream = destination else { return }
            throw ErrandError(.unsupported, "URLSessionTransport has no streams here: URLSession cannot be held back")
        }
    }
#endif
