#if os(Linux) || os(macOS)
    internal import Errand
    internal import ErrandTesting
    internal import ErrandTimeline
    internal import Foundation
    internal import TestEffort
    internal import Testing

    /// Pictures and pages in Chromium: what it makes of them, what it complains of, and what it asks of the network.
    @Suite(
        "Timelines in a browser", .timeLimit(.minutes(60)), .paced, .serialized,
        .enabled(
            if: TestProgram.areWanted && Browser.program != nil,
            "ERRAND_PROGRAMS is not 1, or chromium is not installed"))
    struct BrowserTests {
        private let browser: Browser

        init() throws {
            self.browser = try Browser()
        }

        @Test(arguments: [false, true])
        func `the page looks as it should, complains of nothing and loads nothing`(isDark: Bool) async throws {
            let view = try await self.browser.open(TimelineFixture.everything.html(), "page.html", isDark: isDark)
            #expect(view.complaints.isEmpty)
            #expect(self.browser.askedFor.isEmpty)
            let colors = try await self.browser.colors(of: view.screenshot)
            for color in isDark ? ["#0d1117", "#ddcc77", "#e69f00"] : ["#ffffff", "#dccb6a", "#e69f00"] {
                #expect(colors.contains(color), "\(color)")
            }
            #expect(colors.count >= 12)
        }

        @Test(arguments: [false, true])
        func `the picture alone does too, also as an image on a page`(isDark: Bool) async throws {
            let svg = TimelineFixture.everything.svg()
            let image =
                "<!DOCTYPE html><img alt=\"\" src=\"data:image/svg+xml;base64,\(Data(svg.utf8).base64EncodedString())\">"
            for (text, name) in [(svg, "picture.svg"), (image, "image.html")] {
                let view = try await self.browser.open(text, name, isDark: isDark)
                #expect(view.complaints.isEmpty, "\(name)")
                let colors = try await self.browser.colors(of: view.screenshot)
                #expect(colors.contains(isDark ? "#0d1117" : "#ffffff"), "\(name)")
                #expect(colors.contains(isDark ? "#7c83ff" : "#332288"), "\(name)")
            }
            #expect(self.browser.askedFor.isEmpty)
        }

        @Test func `the script of the page runs, and shows what can be done with it`() async throws {
            let document = try await self.browser.document(TimelineFixture.everything.html(), "page.html")
            #expect(document.contains("<div class=\"tools\">"))
            #expect(document.ranges(of: "tabindex=\"0\"").count == TimelineFixture.everything.spans.count)
            #expect(document.contains("clip-path=\"url(#errand-plot)\""))
        }

        @Test func `a page of nothing and one of names that are hard to write complain of nothing`() async throws {
            var random = SplitMix64(seed: 5)
            let spans = (0..<60).map { index in
                TimelineFixture.request(UInt64(index), index, index + 1, name: TimelineFixture.text(&random))
            }
            for (number, timeline) in [Timeline(), Timeline(spans: spans)].enumerated() {
                let view = try await self.browser.open(timeline.html(), "\(number).html", isDark: false)
                #expect(view.complaints.isEmpty)
            }
            #expect(self.browser.askedFor.isEmpty)
        }

        // MARK: - That these checks can fail

        @Test func `what a page loads and complains of would be noticed`() async throws {
            let image = "<img alt=\"\" src=\"http://elsewhere.test/picture.png\">"
            let open = "<!DOCTYPE html>\(image)<script>console.error('oh')</script>"
            let view = try await self.browser.open(open, "open.html", isDark: false)
            #expect(view.complaints.contains { $0.contains("oh") })
            #expect(self.browser.askedFor.contains { $0.contains("elsewhere.test") })
        }

        @Test func `the page would not load anything, even if a name could make it want to`() async throws {
            let wanted =
                "<img alt=\"\" src=\"http://elsewhere.test/picture.png\"><script>document.title = 'taken'</script></body>"
            let page = TimelineFixture.everything.html().replacing("</body>", with: wanted)
            let view = try await self.browser.open(page, "page.html", isDark: false)
            #expect(view.complaints.contains { $0.contains("Content Security Policy") })
            #expect(self.browser.askedFor.isEmpty)
            let document = try await self.browser.document(page, "page.html")
            #expect(document.contains("<title>Timeline</title>"))
        }
    }

    /// Chromium without a window, all of whose requests go to a server that notes them.
    private struct Browser {
        static let program = TestProgram(named: "chromium")

        struct View {
            let screenshot: Data
            /// What was written to the console of the page.
            let complaints: [String]
        }

        private let folder: TestFolder
        private let server: LoopbackServer
        private let program: TestProgram

        init() throws {
            self.folder = try TestFolder()
            self.server = try LoopbackServer()
            self.server.fallback { _ in .status(404) }
            self.program = try #require(Self.program)
        }

        /// The hosts and URLs that it wanted to have, but for those that browsers ask for by themselves.
        var askedFor: [String] {
            self.server.received.map(\.target).filter { target in
                !["google", "gstatic", "chrome"].contains { target.contains($0) }
            }
        }

        func open(_ text: String, _ name: String, isDark: Bool) async throws -> View {
            let picture = self.folder.file("\(name).png")
            let scheme = isDark ? ["--blink-settings=preferredColorScheme=0"] : []
            let result = try await self.run(
                text, name, scheme + ["--screenshot=\(picture.path)", "--window-size=1200,1100"])
            let complaints = result.complaint.split(separator: "\n").map(String.init).filter { $0.contains("CONSOLE") }
            return View(screenshot: try Data(contentsOf: picture), complaints: complaints)
        }

        /// What the page is when its script has run.
        func document(_ text: String, _ name: String) async throws -> String {
            try await self.run(text, name, ["--dump-dom"]).text
        }

        /// The colours of more than a few pixels, as the browser itself reads them from a picture.
        func colors(of picture: Data) async throws -> Set<String> {
            try #require(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
            let page = """
                <!DOCTYPE html><pre></pre><img alt="" src="data:image/png;base64,\(picture.base64EncodedString())">
                <script>
                const image = document.querySelector("img"), counts = new Map();
                const count = () => {
                  const canvas = document.createElement("canvas"), context = canvas.getContext("2d");
                  canvas.width = image.naturalWidth; canvas.height = image.naturalHeight;
                  context.drawImage(image, 0, 0);
                  const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
                  for (let i = 0; i < data.length; i += 4) {
                    const color = "#" + [...data.slice(i, i + 3)].map(byte => byte.toString(16).padStart(2, "0")).join("");
                    counts.set(color, (counts.get(color) || 0) + 1);
                  }
                  const many = [...counts].filter(([, number]) => number >= 20).map(([color]) => color);
                  document.querySelector("pre").textContent = many.join(" ");
                };
                if (image.complete) count(); else image.onload = count;
                </script>
                """
            let document = try await self.document(page, "colors.html")
            let text = try #require(document.firstMatch(of: /<pre>([^<]*)<\/pre>/)?.1)
            return Set(text.split(separator: " ").map(String.init))
        }

        private func run(_ text: String, _ name: String, _ arguments: [String]) async throws -> ProgramResult {
            let file = self.folder.file(name)
            try Data(text.utf8).write(to: file)
            let proxy = self.server.baseURL.replacing("http://", with: "").replacing("/", with: "")
            let result = try await self.program.run(
                [
                    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                    "--disable-background-networking", "--disable-component-update", "--disable-sync",
                    "--disable-default-apps",
                    "--disable-extensions", "--no-pings", "--enable-logging=stderr", "--virtual-time-budget=4000",
                    "--user-data-dir=\(self.folder.file("profile").path)", "--proxy-server=\(proxy)",
                    "--proxy-bypass-list=<-loopback>",
                ] + arguments + [file.absoluteString])
            try #require(result.status == 0, "\(result.complaint)")
            return result
        }
    }
#endif
