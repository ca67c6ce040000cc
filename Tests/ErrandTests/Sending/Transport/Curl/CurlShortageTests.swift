internal import Errand
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

#if os(Linux)
    /// A process without descriptors, which has to be one of its own.
    @Suite("CurlTransport without descriptors", .serialized, .timeLimit(.minutes(60)), .paced)
    struct CurlShortageTests {
        // None for the mailbox, none for the poller, none for a connection.
        @Test(arguments: 0...2)
        func `fails while none are left, and works again when there are some`(_ free: Int) async {
            await #expect(processExitsWith: .success) { [free = free as Int] in
                let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/text") { _ in .text("four") }])
                let (transport, other) = (CurlTransport(), CurlTransport())
                let call = try CurlExchangeCall(server, "/text")
                // What a process opens and closes once, it does here: one more that is free would make a connection,
                // which the server then has no descriptor to accept with.
                _ = try await call.outcome(over: other).get()
                var shortage = Shortage()
                shortage.leave(free)
                for _ in 0..<3 {
                    let error = await #expect(throws: ErrandError.self) {
                        try await call.outcome(over: transport).get()
                    }
                    #expect(error?.code == .transportFailed)
                    #expect(error?.message.hasSuffix("Too many open files") == true)
                    if free == 2 { #expect(error?.isUnprocessed == true) }
                }
                shortage.end()
                #expect(try await call.outcome(over: transport).get() == Data("four".utf8))
                for transport in [transport, other] { transport.shutdown() }
                server.stop()
            }
        }

        @Test func `a name that cannot be looked up for want of one is not a name that is not found`() async {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/text") { _ in .text("four") }])
                let transport = CurlTransport()
                let call = try CurlExchangeCall(server, "/text")
                _ = try await call.outcome(over: transport).get()
                let url = try HTTPURL("http://no-such-host.invalid:\(server.port)/text")
                let named = CurlExchangeCall(HTTPRequest(url: url), into: .memory(limit: 100))
                var shortage = Shortage()
                shortage.leave(0)
                let error = await #expect(throws: ErrandError.self) { try await named.outcome(over: transport).get() }
                shortage.end()
                #expect(error?.code == .transportFailed)
                #expect(error?.message.hasSuffix("Too many open files") == true)
                transport.shutdown()
                server.stop()
            }
        }

        @Test func `goes on with its connections while none are left for others`() async {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer(routes: [LoopbackRoute("GET", "/text") { _ in .text("four") }])
                let transport = CurlTransport()
                let call = try CurlExchangeCall(server, "/text")
                _ = try await call.outcome(over: transport).get()
                var shortage = Shortage()
                shortage.leave(0)
                for _ in 0..<10 {
                    #expect(try await call.outcome(over: transport).get() == Data("four".utf8))
                }
                shortage.end()
                transport.shutdown()
                server.stop()
            }
        }
    }

    /// Takes all descriptors that this process may have.
    private struct Shortage {
        private var taken: [Int32] = []
        private var limit = rlimit()

        init() {
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &self.limit)
        }

        /// Takes all but so many.
        mutating func leave(_ count: Int) {
            var low = self.limit
            low.rlim_cur = 128
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
            while true {
                let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { break }
                self.taken.append(descriptor)
            }
            for descriptor in self.taken.suffix(count) { close(descriptor) }
            self.taken.removeLast(min(count, self.taken.count))
        }

        /// Gives back what was taken.
        mutating func end() {
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &self.limit)
            for descriptor in self.taken { close(descriptor) }
            self.taken = []
        }
    }
#endif
