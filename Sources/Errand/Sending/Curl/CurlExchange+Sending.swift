#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// The sending of the request.
    extension CurlExchange {
        /// Decides whether the request is sent on the connection that libcurl has chosen; returns 0 if it is.
        func beginSending(between endPoints: CurlSockets.EndPoints) -> Int32 {
            guard let job = self.job else { return 1 }
            // libcurl would keep the expectation, so the request is repeated without libcurl's help.
            if self.unmetHead != nil { return 1 }
            let isAnswered = self.head.final != nil
            switch self.delivery.next(job.request, between: endPoints, self.options.plainHTTP2, isAnswered: isAnswered)
            {
            case .send:
                // libcurl does not rewind the content when it switches to another version of HTTP.
                guard self.sent == 0 || self.source?.rewind(to: 0) == true else {
                    self.fail(ErrandError(.connectionLost, "the content of the request cannot be sent again"))
                    return 1
                }
                self.sent = 0
                job.context.report(.connected)
                return 0
            case .avoid, .deliver: return 1
            case .refuse:
                self.fail(
                    ErrandError(
                        .connectionLost,
                        "the connection was closed without a response; \(job.request.method) is not sent twice"))
                return 1
            }
        }

        /// Fills a buffer of libcurl with content; returns the number of bytes, or a code for libcurl.
        func giveBody(_ room: UnsafeMutableRawBufferPointer) -> Int {
            guard let source = self.source, let job = self.job else { return Int(ERRAND_CURL_ABORT_READING.rawValue) }
            do throws(ErrandError) {
                let room = unsafe UnsafeMutableRawBufferPointer(rebasing: room.prefix(job.context.transferPieceSize))
                let wanted = source.length.map { max(0, min(room.count, Int(clamping: $0 - self.sent))) } ?? room.count
                let isOpen = job.context.mayTransfer(wanted, .sending, waking: job)
                let count = unsafe isOpen ? try source.read(into: room) : nil
                self.isStarved = count == nil
                guard let count else { return Int(ERRAND_CURL_PAUSE_TRANSFER.rawValue) }
                guard count > 0 else { return 0 }
                job.context.gate?.moved(count, .sending)
                self.sent += Int64(count)
                self.movedAt = self.sockets.wokeAt
                job.context.report(.sent(TransferProgress(bytes: self.sent, total: source.length)))
                return count
            } catch {
                self.fail(error)
                return Int(ERRAND_CURL_ABORT_READING.rawValue)
            }
        }

        /// Rewinds the content, because libcurl sends it again; returns a code for libcurl.
        func rewind(to offset: Int64, _ origin: Int32) -> Int32 {
            guard origin == 0, let source = self.source, source.rewind(to: offset) else {
                return Int32(ERRAND_CURL_SEEK_IMPOSSIBLE.rawValue)
            }
            self.sent = offset
            return Int32(ERRAND_CURL_SEEK_DONE.rawValue)
        }
    }
#endif
