#if canImport(CErrandCurl)
    internal import ErrandMachines

    /// The choice of connections for exchanges, and the detection of dead ones.
    extension CurlLoop {
        /// Gives up the connection of a stopped exchange, if it is dead.
        func judgeConnection(of exchange: CurlExchange, _ job: CurlJob) {
            let (wait, url) = (exchange.wait, job.request.url)
            guard let reason = job.stopReason, !exchange.isSettling,
                // A started response may be silent for a long time, so cancelling it says nothing about the connection.
                exchange.head.final == nil || reason != .cancelled && reason != .abandoned,
                self.connections.isDead(wait, on: exchange.socket, reason)
            else { return }
            exchange.giveUpConnection()
            guard self.connections.share(of: url).number == exchange.share.number else { return }
            let others = self.active.values.filter { exchange.socket != nil && $0.socket == exchange.socket }
            // Without other exchanges, the connection is closed now.
            guard !others.isEmpty || wait.sent == nil else { return }
            for other in others { other.giveUpConnection() }
            self.connections.giveUp(url, isOpening: wait.sent == nil)
        }

        /// The maximum number of exchanges with large buffers.
        private static let mostLargeBuffers = 32

        /// Returns the connection choice for an exchange: not that of another exchange of the same request that is
        /// waiting.
        func way(for job: CurlJob) -> CurlConnectionPolicy {
            let url = job.request.url
            var way = CurlConnectionPolicy(share: self.connections.share(of: url))
            way.isCrowded = self.active.count >= Self.mostLargeBuffers
            if self.settings.network.httpVersions == .http2PriorKnowledge, !url.isSecure {
                way.joinsPlainHTTP2 =
                    self.sockets.havePlainHTTP2
                    || self.active.values.contains {
                        $0.opensPlainHTTP2 && $0.job?.request.url.authority == url.authority
                    }
            }
            let context = job.context
            guard context.attempt > 1, case .memory = context.destination else { return way }
            way.isFresh = self.active.values.contains {
                $0.job?.context.requestID == context.requestID && self.connections.isSilent($0.wait, on: $0.socket)
            }
            return way
        }
    }
#endif
