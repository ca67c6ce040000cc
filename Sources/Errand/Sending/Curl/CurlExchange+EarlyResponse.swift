#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// HTTP/2 responses that end before their requests.
    ///
    /// A server that needs no more of a request ends its response and resets the stream with NO_ERROR (RFC 9113 §8.1).
    /// libcurl before 8.1 reports that as an error when it continues to send, even if the response is complete. It also
    /// loses the bytes received together with the reset, which for a small response is all except the status. The
    /// request is then sent once more over HTTP/1.1, where libcurl loses no bytes, if that is harmless: the server has
    /// rejected it, or its method is idempotent.
    extension CurlExchange {
        /// Returns true if the server reset the stream with NO_ERROR: other errors have an error text.
        private func wasClosedEarly(after code: Int32) -> Bool {
            unsafe code == Int32(ERRAND_CURL_STREAM_FAILED.rawValue) && self.errorWords[0] == 0
        }

        /// Returns true if the response ended before its request and is complete.
        ///
        /// Without a length, that is unknown.
        func isWholeBeforeItsRequest(after code: Int32) -> Bool {
            self.wasClosedEarly(after: code) && self.isWhole
        }

        /// True if the whole response was received while libcurl would continue to send; with HTTP/1, libcurl has read
        /// a response without a length to its end.
        var isWhole: Bool {
            guard let head = self.head.final, let job = self.job, !self.isHeldBack else { return false }
            if job.request.method == .head || head.status == .noContent || head.status == .notModified { return true }
            return self.head.contentLength.map { $0 == self.taken } ?? (self.isHTTP2 == false)
        }

        /// Prepares the handle to repeat the request over HTTP/1.1, because libcurl has lost the response; returns true
        /// if it is to be added again.
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

        /// Returns true if the request can be repeated over another version, and no part of its response was delivered.
        private func mayUseHTTP1(_ job: CurlJob) -> Bool {
            guard job.request.url.isSecure, self.options.settings.network.httpVersions == .automatic else {
                return false
            }
            if self.head.final != nil {
                // A held-back part of the body would be passed to the next transfer.
                guard case .memory = job.context.destination, !self.isHeldBack else { return false }
            }
            return self.source?.rewind(to: 0) ?? true
        }

        /// Returns the error for a response that libcurl has lost; `nil` for any other response.
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
