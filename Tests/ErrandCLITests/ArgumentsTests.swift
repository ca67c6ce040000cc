internal import Errand
internal import TestEffort
internal import Testing

@testable internal import ErrandCLI

@Suite(.timeLimit(.minutes(60)), .paced)
struct ArgumentsTests {
    private func get(_ arguments: [String]) throws -> GetOptions {
        guard case .get(let options) = try Command(parsing: ["get"] + arguments) else {
            throw UsageError(message: "not get")
        }
        return options
    }

    private func message(_ arguments: [String]) -> String? {
        do throws(UsageError) {
            _ = try Command(parsing: arguments)
            return nil
        } catch {
            return error.message
        }
    }

    // MARK: - What is understood

    @Test func `takes URLs and standard options`() throws {
        let options = try self.get(["http://a/", "-", "http://b/"])
        #expect(options.urls == ["http://a/", "-", "http://b/"])
        #expect(options == GetOptions(urls: options.urls))
        #expect(options.width == nil && options.atOnce == 16)
        #expect(options.timeout == nil)
    }

    @Test(arguments: [
        ["--width", "4", "http://a/"], ["--width=4", "http://a/"], ["http://a/", "--width", "4"],
        ["--width", "9", "--width", "4", "http://a/"],
    ])
    func `takes a value beside its option or attached to it, anywhere, the last one counting`(
        _ arguments: [String]
    ) throws {
        #expect(try self.get(arguments) == GetOptions(urls: ["http://a/"], width: 4))
    }

    @Test(arguments: [("1", Duration.seconds(1)), ("0.25", .milliseconds(250)), ("1e3", .seconds(1000))])
    func `takes seconds with a fraction`(_ text: String, _ timeout: Duration) throws {
        #expect(try self.get(["--timeout", text]).timeout == timeout)
    }

    @Test(arguments: [("500000", 500_000), ("500k", 512_000), ("2M", 2 << 20), ("1g", 1 << 30)])
    func `takes rates as curl does`(_ text: String, _ rate: Int) throws {
        #expect(try self.get(["--limit-rate", text]).rate == rate)
    }

    @Test func `takes flags, short and long`() throws {
        #expect(try self.get(["-q", "--json"]) == GetOptions(isJSON: true, isQuiet: true))
        #expect(try self.get(["--quiet"]) == GetOptions(isQuiet: true))
    }

    @Test func `takes header fields, repeated ones too`() throws {
        let options = try self.get(["--header", "Accept: text/html", "--header=X-A:b:c", "--header", "X-a:", "x"])
        #expect(options.headers.values(for: "accept") == ["text/html"])
        #expect(options.headers.values(for: "x-a") == ["b:c", ""])
        #expect(options.urls == ["x"])
    }

    @Test func `takes what is to be sent, in its order`() throws {
        let options = try self.get([
            "--query", "a=b=c", "--query=a=", "--form", "x=1", "--file", "f=@a=b@c.png", "--form", "x=@2", "--method",
            "GET",
            "--method=PUT", "--json-body", "1", "--json-body=@a.json", "--basic", "u:p:q",
        ])
        #expect(options.query == ["a": "b=c", "a": ""])
        #expect(
            options.form == [
                .field(name: "x", value: "1"), .file(name: "f", path: "a=b@c.png"), .field(name: "x", value: "@2"),
            ])
        #expect(options.method == .put)
        #expect(options.jsonBody == "@a.json")
        #expect(options.credential == .basic(user: "u", password: "p:q"))
    }

    @Test func `takes names beside characters that join with what is around them`() throws {
        let options = try self.get([
            "--query", "a=\u{301}b", "--form", "\u{1F44D}=\u{200D}x", "--file", "f=@\u{301}.txt",
        ])
        #expect(options.query == ["a": "\u{301}b"])
        #expect(
            options.form == [
                .field(name: "\u{1F44D}", value: "\u{200D}x"), .file(name: "f", path: "\u{301}.txt"),
            ])
    }

    @Test func `takes where things go`() throws {
        #expect(try self.get(["--output", "a", "--output=b"]).outputFolder == "b")
        let options = try self.get(["--curl", "--show-secrets"])
        #expect(options.printsCurl && options.showsSecrets && options.outputFolder == nil)
    }

    @Test func `takes everything behind two dashes as it is`() throws {
        #expect(try self.get(["--", "--width", "-q"]).urls == ["--width", "-q"])
    }

    @Test func `takes the number of requests for the demo`() throws {
        guard case .demo(let options) = try Command(parsing: ["demo", "--requests", "7"]) else {
            Issue.record("not demo")
            return
        }
        #expect(options == DemoOptions(requests: 7))
    }

    // MARK: - What is not

    @Test(arguments: [
        ([], "name a command"),
        (["--width"], "unknown option \"--width\""),
        (["fetch"], "there is no command \"fetch\""),
        (["help", "fetch"], "there is no command \"fetch\""),
        (["help", "get", "demo"], "help takes one command at a time"),
        (["get", "--colour"], "unknown option \"--colour\""),
        (["get", "--colour=red"], "unknown option \"--colour\""),
        (["get", "-x"], "unknown option \"-x\""),
        (["get", "--width"], "--width needs a value"),
        (["get", "--json=yes"], "--json takes no value"),
        (["get", "--header", "Accept"], "--header needs a name, a colon and a value"),
        (["get", "--header", ": x"], "--header cannot use \"\" as a name"),
        (["get", "--header", "A b: x"], "--header cannot use \"A b\" as a name"),
        (["get", "--header", "A: secret\r\nB: c"], "the value of the header A has a control character"),
        (["demo", "now"], "unexpected argument \"now\""),
        (["demo", "--requests", "0"], "--requests needs a whole number from 1 to 1000000, not \"0\""),
    ])
    func `says in one line what it does not understand`(_ arguments: [String], _ message: String) {
        #expect(self.message(arguments) == message)
    }

    @Test(arguments: ["", "0", "-1", "1025", "4x", "1.5", "99999999999999999999"])
    func `refuses widths that cannot be`(_ text: String) {
        #expect(
            self.message(["get", "--width", text]) == "--width needs a whole number from 1 to 1024, not \"\(text)\"")
    }

    @Test(arguments: ["", "0", "-1", "nan", "inf", "1e300", "soon"])
    func `refuses timeouts that cannot be`(_ text: String) {
        #expect(
            self.message(["get", "--timeout", text])
                == "--timeout needs a number of seconds above 0, at most 1000000, not \"\(text)\"")
    }

    @Test(arguments: ["", "0", "-1", "k", "1.5m", "1t", "99999999999g", "٣"])
    func `refuses rates that cannot be`(_ text: String) {
        #expect(
            self.message(["get", "--limit-rate", text])
                == "--limit-rate needs a number of bytes above 0, with or without k, m or g, not \"\(text)\"")
    }

    @Test func `names the command whose help is worth reading`() {
        #expect(throws: UsageError(message: "unknown option \"-x\"", help: "errand get --help")) {
            try Command(parsing: ["get", "-x"])
        }
    }

    // MARK: - Help

    @Test(arguments: [
        ["--help"], ["-h"], ["help"], ["get", "--help"], ["get", "http://a/", "-h"], ["help", "get"],
        ["demo", "--help"], ["help", "demo"],
    ])
    func `explains itself`(_ arguments: [String]) throws {
        guard case .help(let text) = try Command(parsing: arguments) else {
            Issue.record("no help")
            return
        }
        #expect(text.hasPrefix("usage: errand "))
        #expect(text.hasSuffix("\n"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }

    @Test func `lists every option with what it does`() {
        let help = GetOptions.description.help
        for option in [
            "--method METHOD", "--header \"NAME: VALUE\"", "--query NAME=VALUE", "--form NAME=VALUE",
            "--file FIELD=@PATH",
            "--json-body TEXT", "--basic USER:PASSWORD", "--digest USER:PASSWORD", "--parallel, --width N",
            "--timeout SECONDS",
            "--limit-rate BYTES",
            "--cacert FILE",
            "--proxy URL",
            "--http2", "--http1.1", "--raw", "--output DIR", "--timeline FILE", "--json",
            "-q, --quiet",
            "--curl",
            "--show-secrets", "-h, --help",
        ] {
            #expect(help.contains("  \(option) "))
        }
    }
}
