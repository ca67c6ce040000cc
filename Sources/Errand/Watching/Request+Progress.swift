extension Request {
    /// The progress, rate and remaining time of the request: now, then as bytes are transferred, at most ten times a
    /// second.
    ///
    /// ```swift
    /// let request = client.request(GetVideo())
    /// async let video = request.value
    /// for await reading in await request.progress { bar.value = reading.fractionCompleted ?? 0 }
    /// ```
    ///
    /// Get it before the request starts: later, it shows only the progress of further attempts. It does not start the
    /// request, and ends with it. A slow reader gets the latest reading.
    public var progress: AsyncStream<TransferMeter.Reading> {
        get async {
            let meter = TransferMeter(of: 1, timebase: self.timebase)
            await self.watch(with: meter)
            let states = await self.states
            // Unstructured, because this property does not wait for the request. Ends with the request, or when it is
            // deallocated.
            spawn {
                for await _ in states {}
                meter.finish()
            }
            return meter.readings
        }
    }
}

extension BatchRequest {
    /// The progress of all requests of the batch together, weighted by bytes: now, then as bytes are transferred, at
    /// most ten times a second.
    ///
    /// Totals are known once those of all requests are. Get it before the batch starts. It ends with the batch; a slow
    /// reader gets the latest reading.
    public var transferProgress: AsyncStream<TransferMeter.Reading> {
        get async {
            let meter = TransferMeter(of: self.children.count, timebase: self.timebase)
            for child in self.children { await child.watch(with: meter) }
            let states = self.states
            // Unstructured, because this property does not wait for the batch. Ends with the batch, or when it is
            // deallocated.
            spawn {
                for await _ in states {}
                meter.finish()
            }
            return meter.readings
        }
    }
}
