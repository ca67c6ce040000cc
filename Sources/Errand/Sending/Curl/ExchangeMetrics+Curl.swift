#if canImport(CErrandCurl)
    internal import CErrandCurl

    extension ExchangeMetrics {
        /// Reads libcurl's measurements of a transfer.
        ///
        /// - Parameters:
        ///   - easy: Its handle.
        ///   - queue: The time from the handover to the start of the exchange.
        ///   - beginning: The time at which libcurl's measurement started; later if it looked for a connection twice.
        init(curl easy: OpaquePointer, after queue: Duration, countingFrom beginning: Duration) {
            self.init()
            // libcurl measures microseconds from its own start, and returns 0 for phases that did not occur.
            func moment(_ info: errand_curl_number) -> Duration? {
                let microseconds = unsafe errand_curl_get_size(easy, Int32(info.rawValue))
                return microseconds > 0 ? beginning + .microseconds(microseconds) : nil
            }
            let isReused = unsafe errand_curl_get_long(easy, Int32(ERRAND_CURL_INFO_NEW_CONNECTIONS.rawValue)) == 0
            self.started = queue
            self.isConnectionReused = isReused
            self.nameResolved = isReused ? nil : moment(ERRAND_CURL_INFO_NAME_LOOKUP)
            self.connected = isReused ? nil : moment(ERRAND_CURL_INFO_CONNECT)
            self.secured = isReused ? nil : moment(ERRAND_CURL_INFO_APP_CONNECT)
            self.requestStarted = moment(ERRAND_CURL_INFO_PRE_TRANSFER)
            self.firstByte = moment(ERRAND_CURL_INFO_START_TRANSFER)
            self.finished = moment(ERRAND_CURL_INFO_TOTAL)
            self.bytesSent = unsafe errand_curl_get_size(easy, Int32(ERRAND_CURL_INFO_UPLOADED.rawValue))
            self.bytesReceived = unsafe errand_curl_get_size(easy, Int32(ERRAND_CURL_INFO_DOWNLOADED.rawValue))
            self.httpVersion = unsafe HTTPVersion(
                curl: errand_curl_get_long(easy, Int32(ERRAND_CURL_INFO_HTTP_VERSION.rawValue)))
            self.remoteAddress = unsafe errand_curl_get_text(easy, Int32(ERRAND_CURL_INFO_ADDRESS.rawValue)).flatMap {
                let text = unsafe String(cString: $0)
                return text.isEmpty ? nil : text
            }
        }
    }

    extension ExchangeMetrics.HTTPVersion {
        fileprivate init?(curl number: Int) {
            switch number {
            case 1: self = .http1_0
            case 2: self = .http1_1
            case 3: self = .http2
            case 30: self = .http3
            default: return nil
            }
        }
    }
#endif
