internal import Errand
internal import Foundation
internal import TestEffort
internal import Testing

@Suite("Credentials", .timeLimit(.minutes(60)), .paced)
struct CredentialTests {
    @Test(
        "users and passwords become base 64 of their UTF-8 form (RFC 7617 §2)",
        arguments: [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123£", "Basic dGVzdDoxMjPCow=="),
            ("", "", "Basic Og=="), ("user", "", "Basic dXNlcjo="), ("a", "b:c", "Basic YTpiOmM="),
            ("ü", "é", "Basic w7w6w6k="),
        ])
    func basic(user: String, password: String, value: String) throws {
        let credential = HTTPCredential.basic(user: user, password: password)
        #expect(try credential.fieldValue() == value)
        #expect(credential.scheme == "Basic")
    }

    @Test("tokens are sent as they are (RFC 6750 §2.1)", arguments: ["mF_9.B5f-4.1JqM", "a", "a+/=", "1|abc", "~"])
    func bearer(token: String) throws {
        #expect(try HTTPCredential.bearer(token).fieldValue() == "Bearer \(token)")
        #expect(HTTPCredential.bearer(token).scheme == "Bearer")
    }

    @Test(
        "what may not be in a credential is an error that does not quote it",
        arguments: [
            HTTPCredential.basic(user: "secret:x", password: "secret"), .basic(user: "secret\n", password: "x"),
            .basic(user: "secret", password: "x\u{0}"), .basic(user: "secret", password: "\u{7F}"),
            .basic(user: "secret\u{85}", password: ""), .bearer(""), .bearer("secret secret"),
            .bearer("secret\r\nX: y"),
            .bearer("sécret"), .bearer("secret\u{7F}"), .bearer("secret\t"),
        ])
    func illegal(credential: HTTPCredential) {
        let error = #expect(throws: ErrandError.self) { try credential.fieldValue() }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("cret") == false)
    }

    @Test(
        "no description shows a secret",
        arguments: [HTTPCredential.basic(user: "Ann", password: "pwd"), .bearer("tok")])
    func descriptions(credential: HTTPCredential) {
        var dumped = ""
        dump(credential, to: &dumped)
        dump([credential], to: &dumped)
        let texts = [
            "\(credential)", String(describing: credential), String(reflecting: credential), "\([credential])",
            "\(Optional(credential) as Any)", dumped,
        ]
        for text in texts {
            #expect(text.contains(credential.scheme))
            for secret in ["Ann", "pwd", "tok"] { #expect(!text.contains(secret), "\(text)") }
        }
    }

    // MARK: - Without being asked

    @Test("go to the origin of the base URL and to no other")
    func baseURL() throws {
        let credentials = try #require(
            OriginCredentials(.bearer("t"), baseURL: "HTTPS://api.test:443/v1/", others: [:]))
        #expect(credentials.problem == nil)
        #expect(try credentials.value(for: HTTPURL("https://api.test/other")) == "Bearer t")
        for other in ["http://api.test/", "https://api.test:8443/", "https://api.test.evil.test/", "https://test/"] {
            #expect(try credentials.value(for: HTTPURL(other)) == nil)
        }
    }

    @Test("go to other origins that are named, where they go before that of the base URL")
    func others() throws {
        let credentials = try #require(
            OriginCredentials(
                .bearer("t"), baseURL: "https://api.test/",
                others: ["https://files.test": .bearer("f"), "http://[::1]:8080/x": .bearer("l")]))
        #expect(try credentials.value(for: HTTPURL("https://api.test/")) == "Bearer t")
        #expect(try credentials.value(for: HTTPURL("https://files.test:443/a")) == "Bearer f")
        #expect(try credentials.value(for: HTTPURL("http://[::1]:8080/")) == "Bearer l")
    }

    @Test("are nothing when there are none")
    func none() {
        #expect(OriginCredentials(nil, baseURL: "https://api.test/", others: [:]) == nil)
    }

    @Test("that cannot be sent are a problem")
    func problems() throws {
        let bad = HTTPCredential.basic(user: "a:b", password: "")
        let problems: [(OriginCredentials?, ErrandError.Code)] = [
            (OriginCredentials(bad, baseURL: "https://api.test/", others: [:]), .invalidRequest),
            (OriginCredentials(.bearer("t"), baseURL: nil, others: [:]), .invalidRequest),
            (OriginCredentials(.bearer("t"), baseURL: "nowhere", others: [:]), .invalidURL),
            (OriginCredentials(nil, baseURL: nil, others: ["nowhere": .bearer("t")]), .invalidURL),
            (OriginCredentials(nil, baseURL: nil, others: ["https://a.test": bad]), .invalidRequest),
        ]
        for (credentials, code) in problems { #expect(try #require(credentials).problem?.code == code) }
    }
}
