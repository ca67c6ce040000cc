internal import Errand

/// One run of a case, guarded against transports that hang.
///
/// Liveness: the caller waits for the first of the end of the script, the time limit, and the cancellation of its own
/// task. The first two are tasks that always resume the waiter.
struct ConformanceRun: Sendable {
    typealias Outcome = Result<Void, ConformanceFailure>

    private let scene: ConformanceScene
    private let script: TransportConformance.Case.Script

    init(_ scene: ConformanceScene, _ script: @escaping TransportConformance.Case.Script) {
        self.scene = scene
        self.script = script
    }

    /// Runs the case and returns its outcome.
    func result(within limit: Duration, on clock: any Clock<Duration>) async -> Outcome {
        let waiter = Waiter<Outcome>()
        // Unstructured: a child task would keep the caller waiting for as long as the transport hangs. Ends with the
        // script, or never if the transport does not return.
        let work = spawn { waiter.resume(await self.play()) }
        // Ends with the time limit, or when it is cancelled below.
        let watch = spawn {
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            waiter.resume(.failure(self.scene.failure("an end within \(limit)", "none, \(self.scene.position)")))
        }
        let outcome = await waiter.wait()
        watch.cancel()
        work.cancel()
        // A script that is still running finds its connections closed.
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
