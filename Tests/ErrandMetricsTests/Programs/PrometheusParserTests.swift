#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandMetrics
    internal import ErrandTesting
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// The text of a real run, read by Prometheus's own parsers: those of its Python client, and `promtool`.
    @Suite(
        "Metrics, read by Prometheus", .timeLimit(.minutes(60)), .paced,
        .enabled(PrometheusScript.comment) { await PrometheusScript.isPossible() })
    struct PrometheusParserTests {
        /// Requests to odd places with odd names, and a few of every ending.
        private func run(limit: Int = 1000) async throws -> MetricsSnapshot {
            let world = try MetricsWorld {
                $0.labels.insert(.tag)
                $0.labelSetLimit = limit
                $0.sizeBounds = [0, 10, 1e6, 1_048_576, 2.5e9]
                $0.constantLabels = ["service.name": "my \"app\"\nλ\\", "1st": "\r\n\u{2028}\u{85}\u{0}"]
            }
            world.transport.route("/bad", .text("gone", status: 410))
            world.transport.route("/lost", .failure(.connectionLost))
            world.transport.route(where: { _ in true }, .text("some text"))
            let client = world.client
            for tag in [
                "plain", "quo\"te", "li\nne", "back\\slash", "\\n", "trailing\\", "日本語 👩‍👩‍👧", "{a=\"b\"} 1 # EOF", "",
            ] {
                _ = try await client.send(`Say "hi", Zoë 😀`(), options: .tag(tag))
            }
            for call in [TextCall("bad"), TextCall("lost"), TextCall("http://[::1]:8080/"), TextCall("http://a.test/")]
            {
                _ = try? await client.send(call)
            }
            let cached = TextCall("cached") { $0.options = .caching(.fresh(for: .seconds(60))) }
            for _ in 0..<2 { _ = try await client.send(cached) }
            _ = try await client.batch(of: [TextCall("1"), TextCall("2")]).value
            _ = try await client.chain(TextCall("1")).then { _ in TextCall("2") }.value
            return await world.metrics.snapshot()
        }

        @Test(arguments: ExpositionFormat.allCases, [1000, 5, 1])
        func `every number that is written is read`(format: ExpositionFormat, limit: Int) async throws {
            let server = try await PrometheusScript.server()
            let snapshot = try await self.run(limit: limit)
            let answer = try await PrometheusScript.read(snapshot.text(format), format, server)
            try #require(answer.problem == nil, "\(answer.problem ?? "")")
            let read = Dictionary(answer.samples.map { (Sample($0.name, $0.labels), $0.value) }) { _, _ in
                Issue.record("a sample came twice")
                return "twice"
            }
            let written = ExpectedSamples(snapshot).values
            #expect(written.count > (limit == 1000 ? 300 : 50))
            #expect(Set(read.keys) == Set(written.keys))
            for (sample, value) in written {
                #expect(read[sample].flatMap(Double.init) == value, "\(sample.name) \(sample.labels)")
            }
            let kinds = Dictionary(snapshot.families.map { ($0.name.prometheus($0.unit), $0.kind.rawValue) }) { $1 }
            #expect(answer.families.mapValues(\.kind) == kinds)
            if format == .openMetrics {
                let units = Dictionary(
                    snapshot.families.map { ($0.name.prometheus($0.unit), $0.unit.rawValue) }
                ) { $1 }
                #expect(answer.families.mapValues(\.unit) == units)
            }
        }

        @Test func `a text that was cut short is refused, so that what is accepted says something`() async throws {
            let server = try await PrometheusScript.server()
            let text = try await self.run().text(.openMetrics)
            #expect(try await PrometheusScript.read(String(text.dropLast(6)), .openMetrics, server).problem != nil)
            let broken = text.replacing("\\\"", with: "\"")
            #expect(try await PrometheusScript.read(broken, .openMetrics, server).problem != nil)
        }

        @Test(
            .enabled(if: TestProgram(named: "promtool") != nil, "promtool is not installed"), arguments: [1000, 5])
        func `promtool has nothing to complain about`(limit: Int) async throws {
            let (shell, folder) = (try #require(TestProgram(named: "sh")), try TestFolder())
            let file = folder.file("metrics.txt")
            try Data(try await self.run(limit: limit).text(.prometheus).utf8).write(to: file)
            let result = try await shell.run(["-c", "exec promtool check metrics < \"$0\"", file.path])
            #expect(result.status == 0, "\(result.text) \(result.complaint)")
            #expect(result.text + result.complaint == "")
            try Data("errand_broken{a=\"b} 1\n".utf8).write(to: file)
            #expect(try await shell.run(["-c", "exec promtool check metrics < \"$0\"", file.path]).status != 0)
        }
    }

    /// A sample by its name and its labels, to the byte.
    private struct Sample: Hashable {
        let name: String
        let labels: [String: String]
        private let bytes: [[UInt8]]

        init(_ name: String, _ labels: [String: String]) {
            self.name = name
            self.labels = labels
            self.bytes = labels.sorted { $0.key < $1.key }.map { Array($0.key.utf8) + [0] + Array($0.value.utf8) }
        }

        static func == (left: Sample, right: Sample) -> Bool {
            left.name == right.name && left.bytes == right.bytes
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(self.name)
            hasher.combine(self.bytes)
        }
    }

    /// What should be read of a snapshot.
    private struct ExpectedSamples {
        private(set) var values: [Sample: Double] = [:]

        init(_ snapshot: MetricsSnapshot) {
            for family in snapshot.families {
                for series in family.series { self.add(series, family.name.prometheus(family.unit)) }
            }
        }

        private mutating func add(_ series: MetricSeries, _ name: String) {
            let labels = Dictionary(uniqueKeysWithValues: series.labels.map { ($0.key.prometheus, $0.value) })
            switch series.value {
            case .counter(let number): self.values[Sample("\(name)_total", labels)] = number
            case .gauge(let number): self.values[Sample(name, labels)] = number
            case .histogram(let histogram):
                var count = 0.0
                for (bound, inBucket) in zip(histogram.bounds + [.infinity], histogram.counts) {
                    count += Double(inBucket)
                    let bucket = labels.merging(["le": bound.isInfinite ? "+Inf" : "\(bound)"]) { $1 }
                    self.values[Sample("\(name)_bucket", bucket)] = count
                }
                self.values[Sample("\(name)_sum", labels)] = histogram.sum
                self.values[Sample("\(name)_count", labels)] = Double(histogram.count)
            }
        }
    }

    extension MetricName {
        fileprivate func prometheus(_ unit: MetricFamily.Unit) -> String {
            self.rawValue.replacing(".", with: "_") + (unit == .none ? "" : "_\(unit.rawValue)")
        }
    }

    extension MetricLabel {
        fileprivate var prometheus: String {
            let name = self.rawValue.replacing(".", with: "_")
            return name == "1st" ? "_1st" : name
        }
    }
#endif
