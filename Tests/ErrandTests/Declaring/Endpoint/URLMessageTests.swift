internal import Errand
internal import ErrandTesting
internal import TestEffort
internal import Testing

@Suite("URLs: what messages say", .timeLimit(.minutes(60)), .paced)
struct URLMessageTests {
    private func message(
        _ baseURL: String?, _ path: String, _ change: (inout FixtureText) -> Void = { _ in }
    ) -> String? {
        let world = FixtureWorld { $0.baseURLs.main = baseURL }
        let error = #expect(throws: ErrandError.self) {
            try world.client.httpRequest(for: FixtureText(path, change))
        }
        #expect(error?.code == .invalidURL)
        return error?.message
    }

    @Test func `that a client has no base URL`() {
        #expect(self.message(nil, "users") == "\"users\" cannot be resolved: the client has no base URL")
        #expect(
            self.message(nil, "users") { $0.baseURL = .cdn }
                == "\"users\" cannot be resolved: the client has no URL for the content delivery network")
        #expect(
            self.message(nil, "users") { $0.baseURL = .named("images") }
                == "\"users\" cannot be resolved: no base URL has the name \"images\"")
    }

    @Test func `a bad base URL is quoted`() {
        let problem = "cannot be used: a URL starts with http:// or https://"
        #expect(
            self.message("api.example.com", "users")
                == "\"users\" cannot be resolved: the base URL \"api.example.com\" \(problem)")
        #expect(
            self.message("https://api.test", "users") { $0.baseURL = "nowhere" }
                == "\"users\" cannot be resolved: the base URL \"nowhere\" \(problem)")
    }

    @Test func `a bad absolute URL is what is wrong, whatever the base`() {
        for base in [nil, "nowhere", "https://api.test"] {
            #expect(
                self.message(base, "ftp://b.test/c")
                    == "\"ftp://b.test/c\" is not a URL: the scheme ftp is not supported, only http and https are")
        }
    }

    @Test(arguments: [
        "https://ann:hunter2@api.test:99999/", "ann:hunter2@api.test", "https://ann:hun?ter2@api.test",
        "x?token=hunter2",
        "x#hunter2", "https://ann:hunter2#@api.test", "https://ann:hunter2@\u{301}api.test", "x?\u{301}token=hunter2",
        "x#\u{301}hunter2", "//\u{301}ann:hunter2@\u{301}api.test",
    ])
    func `nothing that may be secret is quoted`(base: String) {
        let message = self.message(base, "users") ?? ""
        #expect(!message.contains("hunter2") && !message.contains("hun"), "\(message)")
    }
}
