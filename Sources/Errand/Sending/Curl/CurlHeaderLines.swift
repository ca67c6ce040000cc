#if canImport(CErrandCurl)
    internal import CErrandCurl

    /// Header fields as the list of lines that libcurl wants; freed when nobody holds it any more.
    ///
    /// Safe although it holds a pointer: the list is its own, and is not changed once it is made.
    @safe
    final class CurlHeaderLines {
        let fields: HTTPFields
        private(set) var list: OpaquePointer?
        /// Whether they say that the connection serves no other request, which libcurl does not read (RFC 9112 §9.6).
        private(set) var asksToClose = false

        /// Fields that libcurl would add by itself, and is not asked for.
        private enum Own: String {
            case accept = "Accept"
            case expect = "Expect"
            case contentType = "Content-Type"
        }

        /// - Parameters:
        ///   - fields: The fields of the request.
        ///   - decodesContent: Whether codings are asked for, where the fields say nothing of them.
        /// - Throws: ``ErrandError`` for a field that must not be sent.
        init(_ fields: HTTPFields, decodesContent: Bool) throws(ErrandError) {
            self.fields = fields
            var own: Set<Own> = [.accept, .expect, .contentType]
            // libcurl is not asked to decode: it takes content that ends early for whole. No decoder can do with a part
            // of what was encoded (RFC 9110 §14.2).
            if !fields.contains(HTTPField.Name.acceptEncoding) {
                let codings = decodesContent && !fields.contains("Range") ? ContentCoding.accepted : "identity"
                try self.add("\(HTTPField.Name.acceptEncoding): \(codings)")
            }
            for field in fields {
                // How long the body is and how it is framed is not the caller's to say.
                if field.isNamed(HTTPField.Name.contentLength) || field.isNamed(HTTPField.Name.transferEncoding) {
                    continue
                }
                if field.isNamed("Connection"), field.value.asciiLowercased().containsExactly("close") {
                    self.asksToClose = true
                }
                if let index = own.firstIndex(where: { field.isNamed($0.rawValue) }) { own.remove(at: index) }
                // Without a value a line would remove a field of libcurl's own; with a semicolon it is sent as it is.
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

        /// The list with one more line, whose octets may be none of UTF-8.
        private func longer(by line: String) -> OpaquePointer? {
            guard let octets = FieldOctets.octets(of: line) else {
                return unsafe errand_curl_list_append(self.list, line)
            }
            // With a zero at its end, and none before it.
            return unsafe errand_curl_list_append(self.list, octets.map(CChar.init(bitPattern:)) + [0])
        }
    }

    /// The lines that were made last: many requests have the same fields.
    ///
    /// Belongs to the loop and its thread.
    final class CurlLineCache {
        private let decodesContent: Bool
        private var last: CurlHeaderLines?

        init(decodesContent: Bool) {
            self.decodesContent = decodesContent
        }

        /// The lines of fields, made now if they are not those of the last request.
        ///
        /// - Throws: ``ErrandError`` for a field that must not be sent.
        func lines(for fields: HTTPFields) throws(ErrandError) -> CurlHeaderLines {
            if let last = self.last, fields.isWritten(like: last.fields) { return last }
            let lines = try CurlHeaderLines(fields, decodesContent: self.decodesContent)
            self.last = lines
            return lines
        }
    }
#endif
