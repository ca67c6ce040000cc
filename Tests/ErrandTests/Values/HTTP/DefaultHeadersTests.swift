internal import Errand
internal import TestEffort
internal import Testing

@Suite("Default header fields", .timeLimit(.minutes(60)), .paced)
struct DefaultHeadersTests {
    @Test(
        "languages come from the variables that name a locale",
        arguments: [
            ([:], []), (["LANG": "C"], []), (["LANG": "POSIX"], []), (["LANG": "C.UTF-8"], []),
            (["LANG": "de_DE.UTF-8"], ["de-DE"]), (["LANG": "de_DE@euro"], ["de-DE"]), (["LANG": "fr"], ["fr"]),
            (["LANG": "zh_Hant_TW.UTF-8"], ["zh-Hant-TW"]), (["LANG": "en-US"], ["en-US"]),
            (["LC_ALL": "it_IT", "LC_MESSAGES": "fr_FR", "LANG": "de_DE"], ["it-IT"]),
            (["LC_ALL": "", "LC_MESSAGES": "fr_FR", "LANG": "de_DE"], ["fr-FR"]),
            (["LC_MESSAGES": "", "LANG": "de_DE"], ["de-DE"]), (["LC_ALL": "C", "LANG": "de_DE"], []),
            (["LANGUAGE": "de:en_GB", "LANG": "fr_FR.UTF-8"], ["de", "en-GB", "fr-FR"]),
            (["LANGUAGE": "de:C:::nonsense!", "LANG": "fr"], ["de", "fr"]),
            (["LANGUAGE": "de", "LANG": "C"], []), (["LANGUAGE": "de"], ["de"]),
            (["LANG": ""], []), (["LANG": ".UTF-8"], []), (["LANG": "x"], []), (["LANG": "de_"], []),
            (["LANG": "e n"], []), (["LANG": "en\r\nX-Evil: 1"], []), (["LANG": "verylonglanguage"], []),
            (["LANG": "en_toolongasubtag"], []), (["LANG": "ü_DE"], []),
        ] as [([String: String], [String])])
    func languages(environment: [String: String], expected: [String]) {
        #expect(AcceptLanguage.languages(in: environment) == expected)
    }

    @Test(
        "languages have falling quality values, six at most",
        arguments: [
            ([], nil), (["de-DE"], "de-DE;q=1"), (["de", "en"], "de;q=1, en;q=0.9"),
            (["de", "de", "en"], "de;q=1, en;q=0.9"),
            (
                ["a1", "a2", "a3", "a4", "a5", "a6", "a7"], "a1;q=1, a2;q=0.9, a3;q=0.8, a4;q=0.7, a5;q=0.6, a6;q=0.5"
            ),
        ] as [([String], String?)])
    func qualities(languages: [String], expected: String?) {
        #expect(AcceptLanguage.value(of: languages) == expected)
    }

    @Test("say who asks")
    func userAgent() throws {
        let agent = try #require(DefaultHeaders.standard.userAgent)
        #expect(agent.hasPrefix("Errand/\(LibraryVersion.current) ("))
        #expect(agent.hasSuffix(")"))
        #if os(Linux)
            #expect(agent == "Errand/\(LibraryVersion.current) (Linux)")
        #endif
        #expect(DefaultHeaders.standard.sendsAccept)
    }

    private let defaults = DefaultHeaders(userAgent: "me", acceptLanguage: "de", sendsAccept: true)

    @Test("go behind the client's own")
    func precedence() throws {
        let added = AddedFields(["X-A": "1", "user-agent": "app", "X-A": "2"], self.defaults)
        #expect(
            try added.fields(accepting: "text/csv")
                == ["X-A": "1", "user-agent": "app", "X-A": "2", "Accept": "text/csv", "Accept-Language": "de"])
        #expect(try AddedFields(["Accept": "a/b"], .off).fields(accepting: "*/*") == ["Accept": "a/b"])
    }

    @Test("ask for what is taken", arguments: ["*/*", "application/json", "text/csv;q=0.5"])
    func accept(value: String) throws {
        let fields = try AddedFields([:], self.defaults).fields(accepting: value)
        #expect(fields == ["Accept": value, "Accept-Language": "de", "User-Agent": "me"])
    }

    @Test("can be left out, by a client and by an endpoint")
    func leftOut() throws {
        #expect(try AddedFields(["X-A": "1"], .off).fields(accepting: "*/*") == ["X-A": "1"])
        let added = AddedFields(["X-A": "1"], self.defaults)
        #expect(try added.fields(accepting: "*/*", DefaultHeaders.off) == ["X-A": "1"])
        var own = self.defaults
        own.userAgent = nil
        #expect(try added.fields(accepting: "*/*", own) == ["X-A": "1", "Accept": "*/*", "Accept-Language": "de"])
        #expect(try AddedFields([:], .off).fields(accepting: "*/*", self.defaults).count == 3)
    }

    @Test("that must not be sent are an error")
    func illegal() {
        var bad = self.defaults
        bad.userAgent = "a\r\nX-Evil: 1"
        let cases: [(AddedFields, String, DefaultHeaders?)] = [
            (AddedFields([:], bad), "*/*", nil), (AddedFields(["X A": "1"], .off), "application/json", nil),
            (AddedFields([:], self.defaults), "*/*\n ,", nil), (AddedFields([:], .off), "*/*", bad),
        ]
        for (added, accept, defaults) in cases {
            let error = #expect(throws: ErrandError.self) { try added.fields(accepting: accept, defaults) }
            #expect(error?.code == .invalidRequest)
        }
    }
}
