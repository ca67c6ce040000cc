internal import Errand

/// One run of a case, guarded against transports that never come back.
///
/// Liveness: the caller waits for whichever comes first, the end of the script, the end of the time, or the
/// cancellation of its own task. The first two are tasks that resume the waiter whatever happens.
struct ConformanceRun: Sendable {
    typealias Outcome = Result<Void, ConformanceFailure>

    private let scene: ConformanceScene
    private let script: TransportConformance.Case.Script

    init(_ scene: ConformanceScene, _ script: @escaping TransportConformance.Case.Script) {
        self.scene = scene
        self.script = script
    }

    /// Runs the case and answers how it ended.
    func result(within limit: Duration, on clock: any Clock<Duration>) async -> Outcome {
        let waiter = Waiter<Outcome>()
        // A child task would keep the caller for as long as the transport hangs. Ends with the script, or never if the
        // transport does not let it.
        let work = spawn { waiter.resume(await self.play()) }
        // Ends with the time, or when it is cancelled below.
        let watch = spawn {
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            waiter.resume(.failure(self.scene.failure("an end within \(limit)", "none, \(self.scene.position)")))
        }
        let outcome = await waiter.wait()
        watch.cancel()
        work.cancel()
        // Whoever is still in the script finds its connections closed.
        self.scene.close()
        return outcome ?? .failure(self.scene.failure("an end", "the cancellation of the test, \(self.scene.position)"))
    }

    private func play() async -> Outcome {
        do throws(ConformanceFailure) {
            try await self.script(self.scene)
            try await self.scene.checkThatItStillWorks()
            await self.scene.end()
            return .success(())
        } catch {
            await self.scene.end()
            return .failure(error)
        }
    }
}
