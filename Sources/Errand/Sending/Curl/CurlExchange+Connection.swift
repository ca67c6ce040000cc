#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// The connection of an exchange, and its wait on it.
    extension CurlExchange {
        /// True if libcurl has had a connection for the request.
        var hasConnected: Bool {
            unsafe errand_curl_get_size(self.easy, Int32(ERRAND_CURL_INFO_PRE_TRANSFER.rawValue)) > 0
        }

        /// The state of its wait for a response.
        var wait: CurlConnections.Wait {
            let sent = unsafe errand_curl_get_size(self.easy, Int32(ERRAND_CURL_INFO_PRE_TRANSFER.rawValue))
            return CurlConnections.Wait(
                began: self.startedAt, sent: sent > 0 ? self.transferBegan + .microseconds(sent) : nil,
                isFirst: unsafe errand_curl_get_long(self.easy, Int32(ERRAND_CURL_INFO_NEW_CONNECTIONS.rawValue)) > 0,
                moved: self.movedAt, isHeldBack: self.isHeldBack || self.isStarved)
        }

        /// True if it opens an HTTP/2 connection without TLS, which others can join later.
        var opensPlainHTTP2: Bool { self.options.plainHTTP2 == .opening && !self.hasConnected }

        /// True if the response came over HTTP/2; `nil` without a response.
        var isHTTP2: Bool? {
            let version = unsafe errand_curl_get_long(self.easy, Int32(ERRAND_CURL_INFO_HTTP_VERSION.rawValue))
            return version == 0 ? nil : version == 3
        }

        /// Lets the connection be closed when its last exchange is over.
        func giveUpConnection() {
            self.options.giveUpConnection()
        }

        /// Handles the end of a transfer; returns true if it starts again because there was no connection.
        func startsOver(after code: Int32) -> Bool {
            guard code != 0 else { return false }
            let time = unsafe errand_curl_get_size(self.easy, Int32(ERRAND_CURL_INFO_TOTAL.rawValue))
            return self.failure == nil && !self.hasConnected && self.pace.startsOver(after: code, time)
        }
    }
#endif
