#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandMetrics
    internal import ErrandTesting
    internal import Foundation
    internal import Testing

    /// The parsers of Prometheus's Python client, behind a server that reads texts and answers what is in them.
    enum PrometheusScript {
        static let comment: Comment = "ERRAND_PROGRAMS is not 1, or there is no python3 with prometheus_client"

        static func isPossible() async -> Bool {
            guard TestProgram.areWanted else { return false }
            return await PythonServer.isPossible(importing: ["prometheus_client"])
        }

        static func server() async throws -> PythonServer {
            try await PythonServer(self.script, importing: ["prometheus_client"])
        }

        /// What the parsers read from a text.
        static func read(
            _ text: String, _ format: ExpositionFormat, _ server: PythonServer
        ) async throws -> PrometheusReading {
            let client = Client(baseURL: server.baseURL) {
                $0.options = $0.options.timeouts(Timeouts(attempt: .seconds(3_600)))
            }
            defer { Task { await client.shutdown() } }
            return try await client.send(PrometheusCall(path: "\(format)", text: text))
        }

        /// Labels and values are answered as they were parsed; bounds as Swift writes them, since `1e+06` and
        /// `1000000.0` are one.
        private static let script = #"""
            import http.server, json
            from prometheus_client import openmetrics, parser
            from prometheus_client.openmetrics import parser as openmetrics_parser

            READERS = {
                "/prometheus": parser.text_string_to_metric_families,
                "/openMetrics": openmetrics_parser.text_string_to_metric_families,
            }

            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"

                def do_POST(self):
                    text = self.rfile.read(int(self.headers["content-length"])).decode("utf-8")
                    try:
                        answer = self.read(text)
                    except Exception as problem:
                        answer = {"problem": repr(problem), "families": {}, "samples": []}
                    content = json.dumps(answer).encode("utf-8")
                    self.send_response(200)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

                def read(self, text):
                    families, samples = {}, []
                    for family in READERS[self.path](text):
                        families[family.name] = {"kind": family.type, "unit": family.unit, "help": family.documentation}
                        for sample in family.samples:
                            samples.append(
                                {"name": sample.name, "labels": sample.labels, "value": repr(float(sample.value))})
                    return {"families": families, "samples": samples}

                def log_message(self, *arguments):
                    pass

            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            print("port", server.server_address[1], flush=True)
            server.serve_forever()
            """#
    }

    /// What the parsers read.
    struct PrometheusReading: Decodable, Sendable {
        struct Family: Decodable, Sendable {
            let kind: String
            let unit: String
            let help: String
        }

        struct Sample: Decodable, Sendable {
            let name: String
            private let texts: [String: String]
            let value: String

            private enum CodingKeys: String, CodingKey {
                case name, value
                case texts = "labels"
            }

            /// The labels, with a bound as Swift writes it.
            var labels: [String: String] {
                var labels = self.texts
                if let bound = labels["le"], bound != "+Inf", let number = Double(bound) { labels["le"] = "\(number)" }
                return labels
            }
        }

        let problem: String?
        let families: [String: Family]
        let samples: [Sample]
    }

    private struct PrometheusCall: Endpoint {
        typealias Response = PrometheusReading

        var path: EndpointPath
        let text: String
        var method: HTTPMethod { .post }
        var body: RequestBody { .text(self.text) }
    }
#endif
