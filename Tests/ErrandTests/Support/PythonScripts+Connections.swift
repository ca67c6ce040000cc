#if os(Linux) || os(macOS)
    internal import ErrandTesting
    internal import Foundation

    extension PythonScripts {
        /// A server over TLS that does something on each of its connections, one word for each, and `serve` on all others.
        ///
        /// It speaks HTTP/2 in frames, so that these are exactly what a test wants, and HTTP/1.1 where that is agreed on.
        /// A response says on which connection it came, and how many requests the server has seen in all.
        static func connections(
            _ habits: [String], _ identity: TestCertificates.Identity, versions: String = "h2"
        ) async throws -> PythonServer {
            let (habits, versions) = (habits.joined(separator: " "), versions)
            return try await PythonServer(
                """
                habits = "\(habits)".split()
                versions = "\(versions)".split()
                identity = ["\(identity.certificate.path)", "\(identity.key.path)"]

                """ + self.connectionsScript)
        }

        private static let connectionsScript = #"""
            import socket
            import ssl
            import threading

            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*identity)
            context.set_alpn_protocols(versions)
            seen = 0
            lock = threading.Lock()


            class Wire:
                """TLS over a socket, of which several records go out in one piece."""

                def __init__(self, socket):
                    self.socket = socket
                    self.incoming = ssl.MemoryBIO()
                    self.outgoing = ssl.MemoryBIO()
                    self.tls = context.wrap_bio(self.incoming, self.outgoing, server_side=True)
                    self.until(self.tls.do_handshake)
                    self.rest = b""

                def flush(self):
                    self.socket.sendall(self.outgoing.read())

                def until(self, action):
                    while True:
                        try:
                            result = action()
                            self.flush()
                            return result
                        except ssl.SSLWantReadError:
                            self.flush()
                            data = self.socket.recv(65536)
                            if not data:
                                raise EOFError
                            self.incoming.write(data)

                def read(self, count):
                    while len(self.rest) < count:
                        data = self.until(lambda: self.tls.read(65536))
                        if not data:
                            raise EOFError
                        self.rest += data
                    data, self.rest = self.rest[:count], self.rest[count:]
                    return data

                def read_head(self):
                    head = b""
                    while not head.endswith(b"\r\n\r\n"):
                        head += self.read(1)
                    return head

                def send(self, *records):
                    for record in records:
                        self.tls.write(record)
                    self.flush()

                def end(self):
                    """Says that nothing more comes."""
                    try:
                        self.tls.unwrap()
                    except ssl.SSLError:
                        pass
                    self.flush()


            def count():
                global seen
                with lock:
                    seen += 1


            def frame(kind, flags, stream, payload=b""):
                return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


            def goaway(last):
                return frame(7, 0, 0, last.to_bytes(4, "big") + bytes(4))


            def reset(stream, code):
                return frame(3, 0, stream, code.to_bytes(4, "big"))


            def answer(number, stream):
                body = f"{number} {seen}".encode()
                return frame(1, 4, stream, b"\x88") + frame(0, 1, stream, body)


            def serve_streams(wire, number, habit):
                wire.read(24)
                wire.send(frame(4, 0, 0))
                streams = answered = broken = 0
                served = set()
                name, _, first = habit.partition("-from-")
                while True:
                    head = wire.read(9)
                    kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
                    wire.read(int.from_bytes(head[:3], "big"))
                    if kind == 4 and not flags & 1:
                        wire.send(frame(4, 1, 0))
                    if kind == 6 and flags & 1:
                        wire.send(reset(broken, 13))
                    if kind == 1:
                        streams += 1
                        count()
                        if streams < int(first or 1) or name == "serve":
                            served.add(stream)
                    if kind in (0, 1) and flags & 1 and stream in served:
                        wire.send(answer(number, stream))
                        answered = stream
                    if kind != 1 or stream in served:
                        continue
                    if name == "goaway":
                        # What is above the last one is never answered; one below may still be on its way.
                        served = {one for one in served if one < answered}
                        wire.send(goaway(answered))
                    elif name == "refuse":
                        wire.send(reset(stream, 7))
                    elif name == "http11":
                        versions[:] = ["http/1.1"]
                        context.set_alpn_protocols(versions)
                        wire.send(reset(stream, 13))
                    elif name == "half":
                        versions[:] = ["http/1.1"]
                        context.set_alpn_protocols(versions)
                        # Broken off once the beginning was read: the ping behind it is answered then.
                        length = b"\x0f\x0d\x06100000"
                        wire.send(frame(1, 4, stream, b"\x88" + length) + frame(0, 0, stream, b"hello") + frame(6, 0, 0, bytes(8)))
                        broken = stream
                    elif name == "fail":
                        wire.send(reset(stream, 2))
                        name = "serve"
                    elif name == "covering":
                        wire.send(goaway(stream))
                        return wire.end()
                    elif name == "close":
                        return wire.end()
                    elif name == "cut":
                        return
                    elif name == "broken":
                        wire.send(frame(0, 1, 0, b"data on stream 0"))


            def serve_messages(wire, number, habit):
                while True:
                    head = wire.read_head().lower()
                    if b"content-length: " in head:
                        wire.read(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
                    count()
                    body = f"{number} {seen}".encode()
                    whole = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
                    wrong = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
                    if habit == "whole":
                        wire.send(b"HTTP/1.1 200 OK\r\n\r\n" + body)
                        return wire.end()
                    if habit == "cut":
                        wire.send(b"HTTP/1.1 200 OK\r\n\r\n" + body)
                        return
                    if habit == "close":
                        wire.send(whole, body)
                        return wire.end()
                    if habit == "extra-in-record":
                        wire.send(whole, body + wrong)
                    elif habit == "extra-in-segment":
                        wire.send(whole, body, wrong)
                    else:
                        wire.send(whole, body)


            def serve(socket, number):
                habit = habits[number - 1] if number <= len(habits) else "serve"
                try:
                    wire = Wire(socket)
                    if wire.tls.selected_alpn_protocol() == "h2":
                        serve_streams(wire, number, habit)
                    else:
                        serve_messages(wire, number, habit)
                except (EOFError, OSError):
                    pass
                finally:
                    socket.close()


            listener = socket.create_server(("127.0.0.1", 0))
            print("port", listener.getsockname()[1], flush=True)
            number = 0
            while True:
                connection, _ = listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                number += 1
                threading.Thread(target=serve, args=(connection, number), daemon=True).start()
            """#
    }
#endif
