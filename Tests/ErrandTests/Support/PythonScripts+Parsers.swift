#if os(Linux) || os(macOS)
    extension PythonScripts {
        /// Answers what each of several parsers reads from the body that came.
        ///
        /// Werkzeug's server reads the body, whether it has a length or comes in chunks. Parsers that a later version
        /// does not have any more are left out.
        static let parsersScript = #"""
            import base64, email, gzip, io, json, logging, traceback, urllib.parse, warnings

            warnings.simplefilter("ignore")
            import multipart.multipart
            import werkzeug.http, werkzeug.urls
            from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData
            from werkzeug.serving import make_server
            from werkzeug.wrappers import Request, Response

            try:
                import cgi  # until Python 3.12
            except ImportError:
                cgi = None

            def part(name, filename, media_type, content):
                content = base64.b64encode(content).decode("ascii")
                return {"name": name, "filename": filename, "contentType": media_type, "content": content}

            def pieces(body):
                return (body[start:start + 10007] for start in range(0, len(body), 10007))

            # multipart/form-data

            def multipart_werkzeug(body, content_type):
                boundary = werkzeug.http.parse_options_header(content_type)[1]["boundary"]
                decoder = MultipartDecoder(boundary.encode("ascii"))
                parts = []
                for piece in [*pieces(body), None]:
                    decoder.receive_data(piece)
                    while not isinstance(event := decoder.next_event(), (NeedData, Epilogue)):
                        if isinstance(event, (Field, File)):
                            head, content = event, b""
                        elif isinstance(event, Data):
                            content += event.data
                            if not event.more_data:
                                filename = head.filename if isinstance(head, File) else None
                                parts.append(part(head.name, filename, head.headers.get("content-type"), content))
                assert isinstance(event, Epilogue) and not event.data.strip()
                return parts

            # As Latin-1, which every byte is, and back.
            def latin(text):
                return None if text is None else text.encode("latin-1").decode("utf-8")

            def multipart_cgi(body, content_type):
                fields = cgi.FieldStorage(
                    fp=io.BytesIO(body), encoding="latin-1", keep_blank_values=True, environ={
                        "REQUEST_METHOD": "POST", "CONTENT_TYPE": content_type, "CONTENT_LENGTH": str(len(body))})
                parts = []
                for field in fields.list:
                    field.file.seek(0)
                    content = field.file.read()
                    content = content.encode("latin-1") if isinstance(content, str) else content
                    parts.append(part(
                        latin(field.name), latin(field.filename), field.headers.get("content-type"), content))
                return parts

            def multipart_email(body, content_type):
                message = email.message_from_bytes(
                    b"Content-Type: " + content_type.encode("ascii") + b"\r\n\r\n" + body)
                assert not message.defects
                parts = []
                for piece in message.get_payload():
                    raw = {name.lower(): value for name, value in piece.raw_items()}
                    # Fields are ASCII to this parser: the bytes it kept are given back to it as UTF-8.
                    head = email.message.Message()
                    head["content-disposition"] = (
                        raw["content-disposition"].encode("ascii", "surrogateescape").decode("utf-8"))
                    name, filename = (
                        head.get_param(key, header="content-disposition") for key in ("name", "filename"))
                    parts.append(part(name, filename, raw.get("content-type"), piece.get_payload(decode=True)))
                return parts

            def multipart_python_multipart(body, content_type):
                options = multipart.multipart.parse_options_header
                parts, state = [], {}

                def begin():
                    state.update(name=b"", value=b"", fields={}, content=b"")

                def name(data, start, end):
                    state["name"] += data[start:end]

                def value(data, start, end):
                    state["value"] += data[start:end]

                def field():
                    state["fields"][state["name"].lower()] = state["value"]
                    state.update(name=b"", value=b"")

                def content(data, start, end):
                    state["content"] += data[start:end]

                def end():
                    disposition = options(state["fields"][b"content-disposition"])[1]
                    words = (disposition[b"name"], disposition.get(b"filename"), state["fields"].get(b"content-type"))
                    parts.append(part(*(word if word is None else word.decode("utf-8") for word in words),
                        state["content"]))

                parser = multipart.multipart.MultipartParser(options(content_type)[1][b"boundary"], {
                    "on_part_begin": begin, "on_header_field": name, "on_header_value": value,
                    "on_header_end": field, "on_part_data": content, "on_part_end": end})
                for piece in pieces(body):
                    parser.write(piece)
                parser.finalize()
                return parts

            # application/x-www-form-urlencoded

            def form_urllib(body):
                return urllib.parse.parse_qsl(body.decode("ascii"), keep_blank_values=True, strict_parsing=False)

            def form_cgi(body):
                fields = cgi.FieldStorage(fp=io.BytesIO(body), keep_blank_values=True, environ={
                    "REQUEST_METHOD": "POST", "CONTENT_TYPE": "application/x-www-form-urlencoded",
                    "CONTENT_LENGTH": str(len(body))})
                return [(field.name, field.value) for field in fields.list]

            def form_werkzeug(body):
                return werkzeug.urls.url_decode(body, cls=list)

            def form_python_multipart(body):
                pairs = []

                def begin():
                    pairs.append([b"", b""])

                def name(data, start, end):
                    pairs[-1][0] += data[start:end]

                def value(data, start, end):
                    pairs[-1][1] += data[start:end]

                parser = multipart.multipart.QuerystringParser({
                    "on_field_start": begin, "on_field_name": name, "on_field_data": value})
                for piece in pieces(body):
                    parser.write(piece)
                parser.finalize()
                # It takes pairs apart and leaves the rest to others.
                return [[urllib.parse.unquote_plus(text.decode("ascii")) for text in pair] for pair in pairs]

            MULTIPART = {"werkzeug": multipart_werkzeug, "email": multipart_email,
                "python-multipart": multipart_python_multipart}
            FORM = {"urllib": form_urllib, "python-multipart": form_python_multipart}
            if cgi is not None:
                MULTIPART["cgi"], FORM["cgi"] = multipart_cgi, form_cgi
            if hasattr(werkzeug.urls, "url_decode"):
                FORM["werkzeug"] = form_werkzeug

            def attempt(read, *arguments):
                try:
                    return {"content": read(*arguments)}
                except Exception:
                    return {"problem": traceback.format_exc()}

            @Request.application
            def application(request):
                body = request.stream.read() if request.content_length is None else request.get_data()
                size = len(body)
                if request.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                answer = {name: request.headers.get(field) for name, field in [
                    ("contentType", "Content-Type"), ("contentLength", "Content-Length"),
                    ("transferEncoding", "Transfer-Encoding")]}
                answer["size"] = size
                if request.mimetype == "multipart/form-data":
                    arguments = (body, request.headers["Content-Type"])
                    answer["multipart"] = {name: attempt(read, *arguments) for name, read in MULTIPART.items()}
                else:
                    answer["form"] = {name: attempt(read, body) for name, read in FORM.items()}
                return Response(json.dumps(answer), mimetype="application/json")

            logging.getLogger("werkzeug").setLevel(logging.ERROR)
            server = make_server("127.0.0.1", 0, application, threaded=True)
            print("port", server.server_port, flush=True)
            server.serve_forever()
            """#
    }
#endif
