internal import Errand
internal import ErrandMetrics
internal import ErrandTesting
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Metrics: text", .timeLimit(.minutes(60)), .paced)
struct ExpositionTests {
    private let snapshot = MetricsSnapshot(families: [
        MetricFamily(
            .attemptDuration, .histogram, .seconds, "How long.",
            series: [
                MetricSeries(
                    labels: [.method: "GET", .endpoint: "A"],
                    value: .histogram(HistogramValue(bounds: [0.5, 1, 2_500_000], counts: [1, 0, 2, 1], sum: 4.25))),
                MetricSeries(
                    labels: [:], value: .histogram(HistogramValue(bounds: [1], counts: [0, 1], sum: 1e-7))),
            ]),
        MetricFamily(
            .receivedBytes, .counter, .bytes, "How many.",
            series: [MetricSeries(labels: [.address: "a.test"], value: .counter(1e15))]),
        MetricFamily(.attempts, .counter, .none, "Often.", series: [MetricSeries(labels: [:], value: .counter(2.5))]),
        MetricFamily(.activeRequests, .gauge, .none, "Now.", series: [MetricSeries(labels: [:], value: .gauge(0))]),
    ])

    private static let histogram = """
        http_client_request_duration_seconds_bucket{errand_endpoint="A",http_request_method="GET",le="0.5"} 1
        http_client_request_duration_seconds_bucket{errand_endpoint="A",http_request_method="GET",le="1.0"} 1
        http_client_request_duration_seconds_bucket{errand_endpoint="A",http_request_method="GET",le="2.5e+06"} 3
        http_client_request_duration_seconds_bucket{errand_endpoint="A",http_request_method="GET",le="+Inf"} 4
        http_client_request_duration_seconds_sum{errand_endpoint="A",http_request_method="GET"} 4.25
        http_client_request_duration_seconds_count{errand_endpoint="A",http_request_method="GET"} 4
        http_client_request_duration_seconds_bucket{le="1.0"} 0
        http_client_request_duration_seconds_bucket{le="+Inf"} 1
        http_client_request_duration_seconds_sum 1e-07
        http_client_request_duration_seconds_count 1

        """

    @Test func `is OpenMetrics, to the letter`() {
        #expect(
            self.snapshot.text(.openMetrics) == """
                # HELP http_client_request_duration_seconds How long.
                # TYPE http_client_request_duration_seconds histogram
                # UNIT http_client_request_duration_seconds seconds

                """ + Self.histogram + """
                    # HELP errand_network_received_bytes How many.
                    # TYPE errand_network_received_bytes counter
                    # UNIT errand_network_received_bytes bytes
                    errand_network_received_bytes_total{server_address="a.test"} 1000000000000000
                    # HELP errand_request_attempts Often.
                    # TYPE errand_request_attempts counter
                    errand_request_attempts_total 2.5
                    # HELP http_client_active_requests Now.
                    # TYPE http_client_active_requests gauge
                    http_client_active_requests 0
                    # EOF

                    """)
    }

    @Test func `is Prometheus's own format, to the letter`() {
        #expect(
            self.snapshot.text(.prometheus) == """
                # HELP http_client_request_duration_seconds How long.
                # TYPE http_client_request_duration_seconds histogram

                """ + Self.histogram + """
                    # HELP errand_network_received_bytes_total How many.
                    # TYPE errand_network_received_bytes_total counter
                    errand_network_received_bytes_total{server_address="a.test"} 1000000000000000
                    # HELP errand_request_attempts_total Often.
                    # TYPE errand_request_attempts_total counter
                    errand_request_attempts_total 2.5
                    # HELP http_client_active_requests Now.
                    # TYPE http_client_active_requests gauge
                    http_client_active_requests 0

                    """)
    }

    @Test(arguments: [
        (#"say "hi""#, #"say \"hi\""#), ("a\nb", #"a\nb"#), ("a\r\nb", "a\r\\nb"), (#"C:\new"#, #"C:\\new"#),
        ("Zoë 😀\u{301}", "Zoë 😀\u{301}"), ("\n\u{301}", "\\n\u{301}"), ("\"\u{301}", "\\\"\u{301}"), ("", ""),
        ("\u{0}\u{2028}{}=,#", "\u{0}\u{2028}{}=,#"),
    ])
    func `escapes what would break a line, byte by byte`(value: String, escaped: String) {
        let snapshot = MetricsSnapshot(families: [
            MetricFamily(
                .attempts, .counter, .none, "x", series: [MetricSeries(labels: ["l": value], value: .counter(1))])
        ])
        let line = "errand_request_attempts_total{l=\"\(escaped)\"} 1\n"
        #expect(Array(snapshot.text().utf8).contains(Array(line.utf8)))
    }

    @Test(arguments: [
        ("service.name", "service_name"), ("1st", "_1st"), ("a b-c", "a_b_c"), ("é", "_"), ("a\u{301}\n", "a__"),
        ("²x", "_x"), ("_", "_"),
    ])
    func `makes names legal`(label: String, name: String) {
        let snapshot = MetricsSnapshot(families: [
            MetricFamily(
                .attempts, .counter, .none, "x",
                series: [MetricSeries(labels: [MetricLabel(rawValue: label): "v"], value: .counter(1))])
        ])
        #expect(snapshot.text().contains("errand_request_attempts_total{\(name)=\"v\"} 1\n"))
    }

    @Test(arguments: [
        (0.0, "0.0"), (0.005, "0.005"), (1, "1.0"), (7.5, "7.5"), (999_999, "999999.0"), (1e6, "1e+06"),
        (1_048_576, "1.048576e+06"), (1e9, "1e+09"), (1e10, "1e+10"), (1e16, "1e+16"), (1e-5, "1e-05"),
        (123_456_789.5, "1.234567895e+08"), (2e100, "2e+100"),
    ])
    func `writes bounds in their one form`(bound: Double, text: String) {
        let snapshot = MetricsSnapshot(families: [
            MetricFamily(
                .batchDuration, .histogram, .seconds, "x",
                series: [
                    MetricSeries(
                        labels: [:], value: .histogram(HistogramValue(bounds: [bound], counts: [1, 0], sum: 0)))
                ])
        ])
        #expect(snapshot.text().contains("errand_batch_duration_seconds_bucket{le=\"\(text)\"} 1\n"))
    }

    @Test func `of nothing is an end, or nothing`() {
        #expect(MetricsSnapshot(families: []).text(.openMetrics) == "# EOF\n")
        #expect(MetricsSnapshot(families: []).text(.prometheus) == "")
    }

    @Test func `is in the format that the scraper accepts`() {
        #expect(ExpositionFormat(accept: nil) == .prometheus)
        #expect(ExpositionFormat(accept: "*/*") == .prometheus)
        #expect(ExpositionFormat(accept: "text/plain;version=0.0.4;q=0.5,*/*;q=0.1") == .prometheus)
        #expect(
            ExpositionFormat(accept: "Application/OpenMetrics-Text;version=1.0.0;q=0.8,text/plain;q=0.5")
                == .openMetrics)
        #expect(ExpositionFormat.openMetrics.contentType == ExpositionFormat.openMetricsContentType)
        #expect(ExpositionFormat.prometheus.contentType == ExpositionFormat.prometheusContentType)
    }

    @Test func `of a real run has what its labels were given`() async throws {
        let world = try MetricsWorld {
            $0.labels.insert(.tag)
            $0.constantLabels = ["service.name": "my \"app\"\nλ"]
        }
        world.transport.route("*", .text("x"))
        _ = try await world.client.send(`Say "hi", Zoë 😀`(), options: .tag("a\nb\\"))
        let text = await world.metrics.text(.openMetrics)
        // The runtime tells such names with back quotes and with spaces that do not break.
        #expect(text.replacing("\u{A0}", with: " ").contains(#"errand_endpoint="`Say \"hi\", Zoë 😀`""#))
        #expect(text.contains(#"errand_tag="a\nb\\""#))
        #expect(text.contains(#"service_name="my \"app\"\nλ""#))
        #expect(!text.split(separator: "\n").contains { $0.hasPrefix("b") || $0.hasPrefix("λ") })
        for line in text.split(separator: "\n") where !line.hasPrefix("#") { #expect(line.contains("service_name=")) }
    }
}
