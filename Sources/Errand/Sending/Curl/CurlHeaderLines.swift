#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Header fields as libcurl's list of lines, freed when it is no longer referenced.
    ///
    /// Safe although it holds a pointer: it owns the list, which is immutable after creation.
    @safe
    final class CurlHeaderLines {
        let fields: HTTPFields
        private(set) var list: OpaquePointer?
        /// True if the fields request closing the connection after this exchange, which libcurl does not read (RFC 9112
        /// §9.6).
        private(set) var asksToClose = false

        /// Fields that libcurl would add by itself, and must not.
        private enum Own: String {
            case accept = "Accept"
            case expect = "Expect"
            case contentType = "Content-Type"
        }

        /// - Parameters:
        ///   - fields: The fields of the request.
        ///   - decodesContent: Pass true to request content codings, unless the fields set them.
        /// - Throws: ``ErrandError`` for an invalid field.
        init(_ fields: HTTPFields, decodesContent: Bool) throws(ErrandError) {
            self.fields = fields
            var own: Set<Own> = [.accept, .expect, .contentType]
            // libcurl does not decode, because it accepts truncated content. A decoder cannot decode a part of coded
            // content (RFC 9110 §14.2).
            if !fields.contains(HTTPField.Name.acceptEncoding) {
                let codings = decodesContent && !fields.contains("Range") ? ContentCoding.accepted : "identity"
                try self.add("\(HTTPField.Name.acceptEncoding): \(codings)")
            }
            for field in fields {
                // The length and framing of the body are not set by the caller.
                if field.isNamed(HTTPField.Name.contentLength) || field.isNamed(HTTPField.Name.transferEncoding) {
                    continue
                }
                if field.isNamed("Connection"), field.value.asciiLowercased().containsExactly("close") {
                    self.asksToClose = true
                }
                if let index = own.firstIndex(where: { field.isNamed($0.rawValue) }) { own.remove(at: index) }
                // Without a value, a line would remove libcurl's own field; a semicolon sends it as an empty field.
                try self.add(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
            }
            for name in own { try self.add("\(name.rawValue):") }
        }

        deinit {
            unsafe errand_curl_list_free(self.list)
        }

        private func add(_ line: String) throws(ErrandError) {
            guard !line.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else {
                throw ErrandError(.invalidRequest, "a header field has a line break in it")
            }
            guard let list = unsafe self.longer(by: line) else {
                throw ErrandError(.transportFailed, "libcurl has no memory for a header field")
            }
            unsafe self.list = list
        }

        /// Returns the list with one more line, whose octets need not be valid UTF-8.
        private func longer(by line: String) -> OpaquePointer? {
            guard let octets = FieldOctets.octets(of: line) else {
                return unsafe errand_curl_list_append(self.list, line)
            }
            // Terminated by a zero, and without one inside.
            return unsafe errand_curl_list_append(self.list, octets.map(CChar.init(bitPattern:)) + [0])
        }
    }

    /// A cache of the last lines: many requests have the same fields.
    ///
    /// Confined to the loop and its thread.
    final class CurlLineCache {
        private let decodesContent: Bool
        private var last: CurlHeaderLines?

        init(decodesContent: Bool) {
            self.decodesContent = decodesContent
        }

        /// Returns the lines for fields, which are created if they differ from the last request's.
        ///
        /// - Throws: ``ErrandError`` for an invalid field.
        func lines(for fields: HTTPFields) throws(ErrandError) -> CurlHeaderLines {
            if let last = self.last, fields.isWritten(like: last.fields) { return last }
            let lines = try CurlHeaderLines(fields, decodesContent: self.decodesContent)
            self.last = lines
            return lines
        }
    }
#endif
