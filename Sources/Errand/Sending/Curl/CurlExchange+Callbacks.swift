#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// The callbacks for libcurl.
    extension CurlExchange {
        /// Returns the exchange that a handle belongs to.
        static func of(_ easy: OpaquePointer) -> CurlExchange? {
            unsafe Self.from(errand_curl_get_private(easy))
        }

        private static func from(_ user: UnsafeMutableRawPointer?) -> CurlExchange? {
            unsafe user.map { unsafe Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
        }

        /// Sets the callbacks of the handle, with this exchange as their context.
        func connect() {
            let user = unsafe Unmanaged.passUnretained(self).toOpaque()
            for option in [
                ERRAND_CURL_PRIVATE, ERRAND_CURL_WRITE_DATA, ERRAND_CURL_HEADER_DATA, ERRAND_CURL_READ_DATA,
                ERRAND_CURL_SEEK_DATA, ERRAND_CURL_PREREQUEST_DATA, ERRAND_CURL_TRACE_DATA, ERRAND_CURL_PROGRESS_DATA,
            ] {
                unsafe errand_curl_set_pointer(self.easy, Int32(option.rawValue), user)
            }
            unsafe errand_curl_set_pointer(self.easy, Int32(ERRAND_CURL_ERROR_BUFFER.rawValue), self.errorWords)
            unsafe errand_curl_set_write(self.easy, Int32(ERRAND_CURL_HEADER_FUNCTION.rawValue)) {
                bytes, size, count, user in
                unsafe CurlExchange.from(user)?.takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            }
            unsafe errand_curl_set_write(self.easy, Int32(ERRAND_CURL_WRITE_FUNCTION.rawValue)) {
                bytes, size, count, user in
                unsafe CurlExchange.from(user)?.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
            }
            unsafe errand_curl_set_read(self.easy) { bytes, size, count, user in
                unsafe CurlExchange.from(user)?.giveBody(
                    UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
                    ?? Int(ERRAND_CURL_ABORT_READING.rawValue)
            }
            unsafe errand_curl_set_seek(self.easy) { user, offset, origin in
                unsafe CurlExchange.from(user)?.rewind(to: offset, origin) ?? Int32(ERRAND_CURL_SEEK_FAILED.rawValue)
            }
            self.connectSending()
            unsafe errand_curl_set_progress(self.easy) { user, _, _, _, _ in
                unsafe CurlExchange.from(user)?.progressed()
                return 0
            }
            unsafe errand_curl_set_trace(self.easy) { _, kind, bytes, count, user in
                unsafe CurlExchange.from(user)?.look(kind, UnsafeRawBufferPointer(start: bytes, count: count))
                return 0
            }
        }

        /// Sets the callback for a request that is sent on a connection, if libcurl supports it.
        private func connectSending() {
            guard self.options.settings.tellsOfSending else { return }
            unsafe errand_curl_set_prerequest(self.easy) { user, remote, _, remotePort, localPort in
                let endPoints = CurlSockets.EndPoints(
                    remote: unsafe remote.map { unsafe String(cString: $0) } ?? "", remotePort: remotePort,
                    localPort: localPort)
                return unsafe CurlExchange.from(user)?.beginSending(between: endPoints) ?? 1
            }
        }

        /// The progress callback.
        private func progressed() {
            self.delivery.progressed()
            self.closing.progressed()
        }
    }
#endif
