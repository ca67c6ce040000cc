#if canImport(os)
    internal import Foundation
    internal import os

    /// Shows requests, batches and chains as intervals in Instruments, with their events.
    ///
    /// Each activity is an interval named for its kind, from `didStart` to `didStop`; the messages contain the name of
    /// its endpoint and its result. The overhead is a check while no tool records.
    public struct SignpostAccessory: Accessory {
        private let log: OSLog

        /// Creates an accessory that posts to a log.
        ///
        /// - Parameters:
        ///   - subsystem: The subsystem in Instruments, such as the identifier of the app.
        ///   - category: The category there.
        public init(subsystem: String, category: String = "Errand") {
            self.log = OSLog(subsystem: subsystem, category: category)
        }

        /// Begins an interval.
        public func didStart(_ activity: RequestActivity) {
            guard self.log.signpostsEnabled else { return }
            self.post(.begin, of: activity, "\(activity.name) \(activity.id)")
        }

        /// Ends the interval.
        public func didStop(_ activity: RequestActivity, _ end: RequestActivity.End) {
            guard self.log.signpostsEnabled else { return }
            self.post(.end, of: activity, end.error?.code.description ?? end.head.map { "\($0.status.code)" } ?? "done")
        }

        /// Posts the steps of a request as events.
        public func observe(_ event: RequestActivity.Event, of activity: RequestActivity) {
            guard self.log.signpostsEnabled else { return }
            switch event {
            case .queued: self.post(.event, of: activity, "queued")
            case .admitted: self.post(.event, of: activity, "admitted")
            case .attemptStarted(let number): self.post(.event, of: activity, "attempt \(number)")
            case .attemptFailed(_, let error): self.post(.event, of: activity, error.code.description)
            case .waitingForConnectivity: self.post(.event, of: activity, "waiting for connectivity")
            case .connectivityReturned: self.post(.event, of: activity, "connectivity returned")
            case .suspended: self.post(.event, of: activity, "suspended")
            case .resumed: self.post(.event, of: activity, "resumed")
            case .retry(let retry): self.post(.event, of: activity, "retry after attempt \(retry.attempt)")
            case .retryRefused(_, let refusal): self.post(.event, of: activity, "no retry: \(refusal)")
            case .circuitChanged(let state): self.post(.event, of: activity, "circuit \(state)")
            case .hedged: self.post(.event, of: activity, "hedged")
            case .coalesced: self.post(.event, of: activity, "coalesced")
            case .connected: self.post(.event, of: activity, "connected")
            case .responseHead(let head): self.post(.event, of: activity, "\(head.status.code)")
            case .cacheHit: self.post(.event, of: activity, "cache hit")
            case .cacheMiss, .cacheStatus, .requestHead, .traced, .interimResponse, .sent, .received, .exchangeFinished,
                .notice,
                .progress:
                break
            }
        }

        private func post(_ type: OSSignpostType, of activity: RequestActivity, _ message: String) {
            let id = OSSignpostID(activity.id.rawValue)
            // Unsafe by its signature: the default argument, the address of this image, is valid as long as the code.
            switch activity.kind {
            case .request:
                unsafe os_signpost(type, log: self.log, name: "Request", signpostID: id, "%{public}@", message)
            case .batch: unsafe os_signpost(type, log: self.log, name: "Batch", signpostID: id, "%{public}@", message)
            case .chain: unsafe os_signpost(type, log: self.log, name: "Chain", signpostID: id, "%{public}@", message)
            }
        }
    }
#endif
