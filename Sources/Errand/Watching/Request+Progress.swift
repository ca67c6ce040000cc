extension Request {
    /// How far the request is, how fast, and how long it will take: now, then as bytes come, at most ten times a second.
    ///
    /// ```swift
    /// let request = client.request(GetVideo())
    /// async let video = request.value
    /// for await reading in await request.progress { bar.value = reading.fractionCompleted ?? 0 }
    /// ```
    ///
    /// Ask before the request starts: of one that runs it shows what comes with the next attempt. It does not start the
    /// request, and ends with it. A slow reader gets the latest.
    public var progress: AsyncStream<TransferMeter.Reading> {
        get async {
            let meter = TransferMeter(of: 1, timebase: self.timebase)
            await self.watch(with: meter)
            let states = await self.states
            // Unstructured: nobody waits for the end of the request here. Ends with the request, or when nobody holds it.
            spawn {
                for await _ in states {}
                meter.finish()
            }
            return meter.readings
        }
    }
}

extension BatchRequest {
    /// How far all requests of the batch are together, each with as much weight as it has bytes: now, then as bytes come,
    /// at most ten times a second.
    ///
    /// Totals are known once those of all requests are. Ask before the batch starts. It ends with the batch; a
    /// slow reader gets the latest.
    public var transferProgress: AsyncStream<TransferMeter.Reading> {
        get async {
            let meter = TransferMeter(of: self.children.count, timebase: self.timebase)
            for child in self.children { await child.watch(with: meter) }
            let states = self.states
            // Unstructured: nobody waits for the end of the batch here. Ends with the batch, or when nobody holds it.
            spawn {
                for await _ in states {}
                meter.finish()
            }
            return meter.readings
        }
    }
}
