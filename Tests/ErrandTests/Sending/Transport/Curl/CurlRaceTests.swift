internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

#if os(Linux)
    /// Real parallelism over sockets, each in a process of its own, which has to be as it was before in the end.
    ///
    /// Run under the thread sanitizer too.
    @Suite(
        "CurlTransport under real parallelism",
        .serialized, .timeLimit(.minutes(60)), .paced, .tags(.threadSanitizer))
    struct CurlRaceTests {
        @Test func `a storm of requests with random cancels leaves nothing behind`() async {
            await #expect(processExitsWith: .success) {
                try await CurlScene.leavingNothing { scene in
                    try await scene.withClient { client in
                        await withTaskGroup { group in
                            for seed in 0..<12 {
                                let lane = CurlRaceLane(client, scene, seed: UInt64(seed))
                                group.addTask { await lane.run(requests: TestEffort.rounds(of: 250)) }
                            }
                        }
                        await CurlScene.expectNothingInFlight(client)
                        let count = try await client.send(CurlCall("/text/1234"))
                        #expect(count == 10)
                    }
                }
            }
        }

        @Test func `a client that is shut down with work in flight ends all of it`() async {
            await #expect(processExitsWith: .success) {
                try await CurlScene.leavingNothing { scene in
                    for round in 0..<30 {
                        let client = scene.client()
                        await withTaskGroup { group in
                            for lane in 0..<6 {
                                let seed = UInt64(1000 + round * 10 + lane)
                                group.addTask {
                                    await CurlRaceLane(client, scene, seed: seed, allowing: [.clientShutDown])
                                        .run(requests: 8)
                                }
                            }
                            for _ in 0..<(round * 20) { await Task.yield() }
                            await client.shutdown()
                        }
                        await CurlScene.expectNothingInFlight(client)
                    }
                }
            }
        }

        @Test func `clients that nobody holds any more take their transports with them`() async {
            await #expect(processExitsWith: .success) {
                try await CurlScene.leavingNothing { scene in
                    await withTaskGroup { group in
                        for seed in 0..<60 {
                            group.addTask {
                                // Not shut down: the lane is the last that holds it.
                                await CurlRaceLane(scene.client(), scene, seed: UInt64(2000 + seed)).run(requests: 6)
                            }
                        }
                    }
                }
            }
        }

        @Test func `transports that are made and dropped leave nothing behind, used or not`() async {
            await #expect(processExitsWith: .success) {
                try await CurlScene.leavingNothing { scene in
                    for round in 0..<100 {
                        let transport = CurlTransport()
                        let path = round.isMultiple(of: 3) ? "/stall/head/x" : "/large/x"
                        let exchange = try CurlExchangeCall(scene.server, path)
                        switch round % 4 {
                        case 0: break
                        case 1: transport.shutdown()
                        default:
                            await withTaskGroup { group in
                                for _ in 0..<4 { group.addTask { _ = await exchange.outcome(over: transport) } }
                                for _ in 0..<round { await Task.yield() }
                                transport.shutdown()
                            }
                        }
                    }
                }
            }
        }
    }
#endif
