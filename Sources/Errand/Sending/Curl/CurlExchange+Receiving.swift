#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// The response, as libcurl delivers it.
    extension CurlExchange {
        /// Reads a trace message.
        func look(_ kind: Int32, _ bytes: UnsafeRawBufferPointer) {
            guard let job = self.job else { return }
            if kind == Int32(ERRAND_CURL_TRACED_TEXT.rawValue) { unsafe self.delivery.look(bytes, job.request) }
            guard unsafe self.foldGuard.look(kind, bytes) else { return }
            self.fail(ErrandError(.invalidResponse, "the head of the response has an invalid line"))
            job.mailbox.post(.unpause(job))
        }

        /// Takes a line of a head, or of trailers; returns the number of bytes taken, or 0 to end the transfer.
        func takeLine(_ line: UnsafeRawBufferPointer) -> Int {
            self.movedAt = self.sockets.wokeAt
            unsafe self.foldGuard.take(line)
            do throws(ErrandError) {
                switch unsafe try self.head.take(line) {
                case .more: break
                case .interim(let head): self.job?.context.report(.interimResponse(head))
                case .final(let head): try self.begin(head)
                }
                return line.count
            } catch {
                self.fail(error)
                return 0
            }
        }

        private func begin(_ head: HTTPResponse.Head) throws(ErrandError) {
            guard let job = self.job else { return }
            if head.status == 407, self.options.settings.usesProxy(for: job.request.url) {
                throw .proxyRefused(self.options.settings.way(to: job.request.url), overHTTP: true)
            }
            // libcurl may repeat the request without the expectation (RFC 9110 §10.1.1), and then skips the content.
            if head.status == 417, !self.expectsNothing, job.request.headers.contains("Expect") {
                self.unmetHead = head
            } else {
                try self.deliverHead(head, job)
            }
        }

        /// Passes the head to the sink and the observers, and delivers the response if its body is streamed.
        func deliverHead(_ head: HTTPResponse.Head, _ job: CurlJob) throws(ErrandError) {
            self.delivery.responded()
            if self.head.endsWithConnection { self.closing.awaitEnd(of: job.request) }
            job.context.report(.responseHead(head))
            guard let body = try self.sink?.begin(self.head, job) else { return }
            var response = HTTPResponse(head: head, body: body)
            response.metrics = self.metrics(untilEnd: false)
            self.deliver(job, .success(response))
        }

        /// Delivers the head with status 417, after which no other response comes.
        func deliverUnmetHead(_ job: CurlJob) throws(ErrandError) {
            if let head = self.unmetHead.take() { try self.deliverHead(head, job) }
        }

        /// Takes bytes of the body; returns their number, or a code for libcurl.
        func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            guard let job = self.job, self.sink != nil else { return 0 }
            self.movedAt = self.sockets.wokeAt
            do throws(ErrandError) {
                // libcurl and Errand disagree about the end of the head: a body without a head has no receiver.
                guard self.head.final != nil else {
                    throw ErrandError(.invalidResponse, "the head of the response has no end")
                }
                if self.unmetHead != nil { try self.deliverUnmetHead(job) }
                let isOpen = job.context.mayTransfer(bytes.count, .receiving, waking: job)
                let progress = unsafe isOpen ? try self.decode(bytes) : .heldBack
                self.isHeldBack = progress != .taken
                switch progress {
                case .taken:
                    self.taken += Int64(bytes.count)
                    job.context.gate?.moved(bytes.count, .receiving)
                case .heldBack: break
                // Continues when the loop has handled other exchanges, cancellations and deadlines.
                case .interrupted: job.wake()
                }
                return self.isHeldBack ? Int(ERRAND_CURL_PAUSE_TRANSFER.rawValue) : bytes.count
            } catch {
                self.fail(error)
                return 0
            }
        }

        /// Decodes the content codings, if there are any.
        private func decode(_ bytes: UnsafeRawBufferPointer) throws(ErrandError) -> DecodingProgress {
            guard !self.head.codings.isEmpty else { return unsafe try self.keep(bytes) ? .taken : .heldBack }
            if self.decoding == nil { self.decoding = try ContentDecoding(self.head.codings) }
            guard let decoding = self.decoding else { return .heldBack }
            return unsafe try decoding.write(bytes) { decoded throws(ErrandError) in unsafe try self.keep(decoded) }
        }

        private func keep(_ bytes: UnsafeRawBufferPointer) throws(ErrandError) -> Bool {
            guard let job = self.job, let sink = self.sink, unsafe try sink.write(bytes) else { return false }
            self.received += Int64(bytes.count)
            job.context.report(.received(TransferProgress(bytes: self.received, total: self.head.bodyLength)))
            return true
        }
    }
#endif
