#if os(Linux)
    internal import ErrandTesting
    internal import Foundation

    extension PythonScripts {
        /// A server for HTTP/2 and HTTP/1.1 that responds to each request with the same status and the body "early".
        ///
        /// Over HTTP/2 it does so as soon as it has the head, and resets the stream with NO_ERROR (RFC 9113 §8.1), in one
        /// record of TLS or in two. Over HTTP/1.1 it reads the content before. A field of the response says how many
        /// requests there were.
        ///
        /// A request with a certain bearer token is accepted instead: the server reads its content, and responds with 200,
        /// the size of the content, and how many requests it has accepted. The token is in small letters, with tildes at
        /// its end: those are longer in the code of Huffman, so clients send it as it is (RFC 7541 §5.2).
        static func early(
            _ status: Int, inOneRecord: Bool, hasLength: Bool = true, accepting token: String? = nil,
            _ identity: TestCertificates.Identity
        ) async throws -> PythonServer {
            let values = """
                status, in_one, has_length = \(status), \(inOneRecord ? "True" : "False"), \(hasLength ? "True" : "False")
                token = \(token.map { "b'\($0)'" } ?? "None")
                certificate, key = "\(identity.certificate.path)", "\(identity.key.path)"
                """
            return try await PythonServer(values + "\n" + Self.earlyScript, importing: ["ssl"])
        }

        private static let earlyScript = #"""
            import itertools, socket, ssl, struct, threading

            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            context.set_alpn_protocols(["h2", "http/1.1"])
            listener = socket.create_server(("127.0.0.1", 0))
            requests, accepted = itertools.count(1), itertools.count(1)

            # The fields of a response, to a request that was accepted with its content or to one that was not.
            def fields(size=None):
                length = [("content-length", "5")] if has_length else []
                if size is None:
                    more = [("www-authenticate", "Bearer realm=early")]
                else:
                    more = [("x-accepted", str(next(accepted))), ("x-size", str(size))]
                return [("x-requests", str(next(requests)))] + more + length

            def frame(kind, flags, stream, payload):
                return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

            def literal(name, value):
                name, value = name.encode(), value.encode()
                return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value

            def read(peer, count):
                data = b""
                while len(data) < count:
                    more = peer.recv(count - len(data))
                    if not more:
                        raise EOFError
                    data += more
                return data

            def whole(stream, status, fields):
                block = b"".join(literal(*field) for field in [(":status", str(status))] + fields)
                return frame(1, 4, stream, block) + frame(0, 1, stream, b"early")

            def http2(peer):
                read(peer, 24)
                peer.sendall(frame(4, 0, 0, b""))
                # How much has come of the content of requests that are accepted.
                sizes = {}
                while True:
                    head = read(peer, 9)
                    kind, flags = head[3], head[4]
                    stream = struct.unpack(">I", head[5:])[0]
                    payload = read(peer, int.from_bytes(head[:3], "big"))
                    if kind == 4 and flags & 1 == 0:
                        peer.sendall(frame(4, 1, 0, b""))
                    elif kind == 1 and token is not None and b"Bearer " + token in payload:
                        sizes[stream] = 0
                    elif kind == 1:
                        response = whole(stream, status, fields())
                        reset = frame(3, 0, stream, struct.pack(">I", 0))
                        if in_one:
                            peer.sendall(response + reset)
                        else:
                            peer.sendall(response)
                            peer.sendall(reset)
                    elif kind == 0 and payload:
                        more = struct.pack(">I", len(payload))
                        peer.sendall(frame(8, 0, 0, more))
                        if stream in sizes:
                            sizes[stream] += len(payload)
                            peer.sendall(frame(8, 0, stream, more))
                    if kind in (0, 1) and flags & 1 and stream in sizes:
                        peer.sendall(whole(stream, 200, fields(sizes.pop(stream))))

            def http1(peer):
                data = b""
                while b"\r\n\r\n" not in data:
                    data += peer.recv(1 << 16)
                head, rest = data.split(b"\r\n\r\n", 1)
                lines = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
                size = int(lines[b"content-length"])
                read(peer, size - len(rest))
                is_accepted = token is not None and lines.get(b"authorization") == b"bearer " + token
                text = "".join("%s: %s\r\n" % field for field in fields(size if is_accepted else None))
                code = 200 if is_accepted else status
                peer.sendall(("HTTP/1.1 %d Early\r\n%sConnection: close\r\n\r\nearly" % (code, text)).encode())
                # The end of a body without a length, if it has none.
                peer.unwrap().close()

            def serve(connection):
                try:
                    peer = context.wrap_socket(connection, server_side=True)
                    (http2 if peer.selected_alpn_protocol() == "h2" else http1)(peer)
                except (OSError, EOFError):
                    pass

            print("port", listener.getsockname()[1], flush=True)
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
            """#
    }
#endif
