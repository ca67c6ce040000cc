#if canImport(Darwin) || (ERRAND_URLSESSION && DEBUG)
    #if ERRAND_URLSESSION
        @testable internal import Errand
    #endif
    /// Resumes or cancels the task of a call, for the reader of its stream.
    struct URLSessionProducer: BodyProducer {
        private let call: URLSessionCall
        private let bridge: URLSessionBridge

        init(_ call: URLSessionCall, _ bridge: URLSessionBridge) {
            self.call = call
            self.bridge = bridge
        }

        func resume() {
            self.bridge.resume(self.call)
        }

        func cancel() {
            self.bridge.abandon(self.call)
        }
    }
#endif
