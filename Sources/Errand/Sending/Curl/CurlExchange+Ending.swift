#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// The end of a transfer, and of its exchange.
    extension CurlExchange {
        /// The end of an exchange, or of a transfer that is continued.
        enum End {
            case answer(CurlJob.Answer)
            /// The response was delivered before, and its reader has been notified of the end.
            case delivered
            /// A disk operation is pending; the job is unpaused when it ends.
            case later
            /// The exchange is added to libcurl again.
            case again
        }

        /// True if the transfer is over, but a disk operation is pending.
        var isSettling: Bool { self.ending != nil }

        /// Ends a transfer with a libcurl code.
        func end(code: Int32) -> End {
            if let failure = self.failure { return self.end(with: failure) }
            let isUnmet = code == Int32(ERRAND_CURL_ABORTED.rawValue) && self.unmetHead != nil
            if isUnmet, self.source?.rewind(to: 0) != false {
                self.unmetHead = nil
                self.forgetResponse()
                self.expectsNothing = true
                return .again
            }
            if self.delivery.isAnswered, !self.isWhole {
                return self.end(with: ErrandError(.connectionLost, "the server aborted its response"))
            }
            guard code == 0 || isUnmet || self.delivery.isAnswered || self.isWholeBeforeItsRequest(after: code) else {
                return self.endUndelivered(self.error(code))
            }
            guard let head = self.head.final else {
                // An incomplete message (RFC 9112 §8), which libcurl reports as a response without fields.
                return self.end(
                    with: ErrandError(
                        .connectionLost, "the connection was closed before the head of a response was complete"))
            }
            // libcurl counts the repetitions of a handle over its lifetime, and fails the sixth time.
            self.isSpent = self.isHeldBack || self.delivery.wasSentAgain
            self.delivery.end(keptFor: self.head.idleLimit)
            do throws(ErrandError) {
                if self.unmetHead != nil, let job = self.job { try self.deliverUnmetHead(job) }
                try self.closing.check()
                try self.decoding?.finish()
            } catch {
                return self.end(with: error)
            }
            let metrics = self.metrics()
            self.job?.context.report(.finished(metrics))
            return self.settle(head, metrics)
        }

        /// Ends a finished transfer, once its sink has stored all bytes.
        func settle() -> End {
            switch self.ending {
            case nil: return .later
            case .failure(let error)?: return self.end(with: error)
            case .success(let metrics)?:
                guard let head = self.head.final else { return .later }
                return self.settle(head, metrics)
            }
        }

        private func settle(_ head: HTTPResponse.Head, _ metrics: ExchangeMetrics) -> End {
            if self.sink?.settle(isWhole: true) == false {
                self.ending = .success(metrics)
                return .later
            }
            do throws(ErrandError) {
                guard let body = try self.sink?.finish() else { return .delivered }
                var response = HTTPResponse(head: head, body: body)
                response.metrics = metrics
                let trailers = self.head.trailers
                if !trailers.isEmpty { response.trailers = trailers }
                return .answer(.success(response))
            } catch {
                return self.end(with: error)
            }
        }

        /// Ends a failed transfer, or repeats it if the request was not processed.
        private func endUndelivered(_ error: ErrandError) -> End {
            guard let request = self.job?.request, self.head.isEmpty else { return self.end(with: error.afterSending) }
            let isUnprocessed = self.delivery.isUnprocessed(request)
            // Evaluated before the request is prepared for sending again.
            let mayBeProcessed = self.delivery.mayBeProcessed(request)
            if self.delivery.mayRepeat(request), self.source?.rewind(to: 0) != false { return .again }
            guard isUnprocessed else { return self.end(with: mayBeProcessed ? error.afterSending : error) }
            var error = error
            error.context.isUnprocessed = true
            return self.end(with: error)
        }

        /// Returns the error for a libcurl code.
        func error(_ code: Int32) -> ErrandError {
            if let lost = self.lostResponse(after: code) { return lost }
            if let refusal = unsafe ErrandError(proxyRefusing: self.easy, self.options.settings, self.job?.request.url)
            {
                return refusal
            }
            if let shortage = unsafe ErrandError(shortageOf: self.easy, code, self.sockets.failure) { return shortage }
            switch errand_curl_number(code) {
            // libcurl reports a line of more than 100 KB as out of memory, and a line that starts with a space as a bad
            // argument.
            case ERRAND_CURL_OUT_OF_MEMORY where self.head.final == nil:
                return ErrandError(.invalidResponse, "a line in the head of the response is too long")
            case ERRAND_CURL_BAD_ARGUMENT where self.head.final == nil:
                return ErrandError(.invalidResponse, "the head of the response has an invalid line")
            default: break
            }
            let way = self.job.flatMap { self.options.settings.way(to: $0.request.url) }
            return ErrandError(curl: code, unsafe String(cString: self.errorWords), way)
        }

        /// Ends the exchange with an error, once its sink has stored all bytes.
        func end(with error: ErrandError) -> End {
            self.isSpent = true
            self.delivery.endWithoutResponse()
            self.ending = .failure(error)
            return self.sink?.settle(isWhole: false) == false ? .later : self.abandon(error)
        }

        /// Ends the exchange with an error at once, even if a disk operation is pending.
        func abandon(_ error: ErrandError) -> End {
            self.isSpent = true
            self.delivery.endWithoutResponse()
            _ = self.sink?.settle(isWhole: false)
            let wasDelivered = self.sink?.abandon(error) ?? false
            return wasDelivered ? .delivered : .answer(.failure(error))
        }
    }
#endif
