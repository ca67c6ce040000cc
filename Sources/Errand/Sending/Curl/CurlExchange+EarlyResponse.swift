#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Responses over HTTP/2 that end before their requests.
    ///
    /// A server that needs no more of a request ends its response and resets the stream with NO_ERROR (RFC 9113 §8.1).
    /// libcurl before 8.1 takes that for an error when it goes on to send, also where the response is whole. And it loses
    /// what came together with the reset, all of a small response: only its status can still be read. Then the request is
    /// sent once more over HTTP/1.1, where libcurl loses nothing, if that does no harm: the server has refused it, or its
    /// method is idempotent.
    extension CurlExchange {
        /// Whether the server reset the stream with NO_ERROR: another error has words.
        private func wasClosedEarly(after code: Int32) -> Bool {
            unsafe code == Int32(ERRAND_CURL_STREAM_FAILED.rawValue) && self.errorWords[0] == 0
        }

        /// Whether all of a response is there that ended before its request.
        ///
        /// Without a length nobody can tell.
        func isWholeBeforeItsRequest(after code: Int32) -> Bool {
            self.wasClosedEarly(after: code) && self.isWhole
        }

        /// Whether all of a response was taken behind which libcurl would go on to send; with HTTP/1 libcurl has read one
        /// without a length to its end.
        var isWhole: Bool {
            guard let head = self.head.final, let job = self.job, !self.isHeldBack else { return false }
            if job.request.method == .head || head.status == .noContent || head.status == .notModified { return true }
            return self.head.contentLength.map { $0 == self.taken } ?? (self.isHTTP2 == false)
        }

        /// Prepares the handle to send the request over HTTP/1.1, because libcurl has lost the response; returns whether it
        /// is to be added again.
        func usesHTTP1(after code: Int32) -> Bool {
            guard let job = self.job, self.lostStatus == nil, self.failure == nil, self.wasClosedEarly(after: code),
                !self.isWholeBeforeItsRequest(after: code)
            else { return false }
            let status = Int(unsafe errand_curl_get_sent_status(self.easy))
            guard status >= 200 else { return false }
            self.lostStatus = status
            guard job.request.method.isIdempotent || (400...499).contains(status), self.mayUseHTTP1(job) else {
                return false
            }
            do throws(ErrandError) {
                if self.head.final != nil { self.sink = try CurlSinks.sink(for: job) }
                try self.options.setHTTP1()
            } catch {
                return false
            }
            self.forgetResponse()
            return true
        }

        /// Whether the request can be sent again, over another version, and nobody has seen a part of its response.
        private func mayUseHTTP1(_ job: CurlJob) -> Bool {
            guard job.request.url.isSecure, self.options.settings.network.httpVersions == .automatic else {
                return false
            }
            if self.head.final != nil {
                // What is held back of a body would be given to the next transfer.
                guard case .memory = job.context.destination, !self.isHeldBack else { return false }
            }
            return self.source?.rewind(to: 0) ?? true
        }

        /// The error that stands for a response that libcurl has lost; `nil` where it was another one.
        func lostResponse(after code: Int32) -> ErrandError? {
            guard let status = self.lostStatus else { return nil }
            return ErrandError(
                .connectionLost,
                """
                the server ended its response with the status \(status) before it had the whole request, and libcurl \
                may have lost a part of it
                """,
                cause: CurlError(code: code, words: unsafe String(cString: errand_curl_easy_words(code))))
        }
    }
#endif
