#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Testing

    /// Servers made of packages that nobody here wrote, and what they need.
    enum PythonScripts {
        static let comment: Comment =
            "ERRAND_PROGRAMS is not 1, or there is no python3 with the modules of .ci/steps (werkzeug, multipart, httpbin)"

        /// What reads forms.
        static func parsers() async throws -> PythonServer {
            try await PythonServer(self.parsersScript, importing: self.parsersModules)
        }

        /// Kenneth Reitz' httpbin, as it is.
        static func httpbin() async throws -> PythonServer {
            try await PythonServer(self.httpbinScript, importing: self.httpbinModules)
        }

        /// What reads very large bodies.
        static func sink() async throws -> PythonServer {
            try await PythonServer(self.sinkScript)
        }

        static func canParse() async -> Bool {
            guard TestProgram.areWanted else { return false }
            return await PythonServer.isPossible(importing: self.parsersModules)
        }

        static func canServeHTTPBin() async -> Bool {
            guard TestProgram.areWanted else { return false }
            return await PythonServer.isPossible(importing: self.httpbinModules)
        }

        static func canServe() async -> Bool {
            guard TestProgram.areWanted else { return false }
            return await PythonServer.isPossible()
        }

        private static let parsersModules = ["werkzeug", "multipart"]
        private static let httpbinModules = ["httpbin", "werkzeug"]

        private static let httpbinScript = #"""
            import logging
            import httpbin
            from werkzeug.serving import make_server

            logging.getLogger("werkzeug").setLevel(logging.ERROR)
            server = make_server("127.0.0.1", 0, httpbin.app, threaded=True)
            print("port", server.server_port, flush=True)
            server.serve_forever()
            """#

        /// Answers, as lines, the length that was declared, how many bytes of the body came, how many of them are not
        /// zero, and all those that are not.
        private static let sinkScript = #"""
            import socket

            listener = socket.create_server(("127.0.0.1", 0))
            print("port", listener.getsockname()[1], flush=True)
            zeros = bytes(1 << 20)
            while True:
                connection, _ = listener.accept()
                data = b""
                while b"\r\n\r\n" not in data:
                    data += connection.recv(1 << 16)
                head, data = data.split(b"\r\n\r\n", 1)
                fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
                if fields.get(b"expect") == b"100-continue":
                    connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                length, count, rest = int(fields[b"content-length"]), 0, b""
                while True:
                    count += len(data)
                    if data != zeros[:len(data)]:
                        rest += data.replace(b"\0", b"")
                    if count >= length:
                        break
                    data = connection.recv(1 << 20)
                    if not data:
                        break
                answer = b"%d\n%d\n%d\n%s" % (length, count, len(rest), rest)
                connection.sendall(
                    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(answer), answer))
                connection.close()
            """#
    }
#endif
