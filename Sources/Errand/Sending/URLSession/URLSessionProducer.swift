/// Lets whoever reads the stream of a call have its task go on, and end it.
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
