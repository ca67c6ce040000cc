internal import Foundation
internal import TestEffort
internal import Testing

@testable internal import Errand

/// Three questions about a name of a header field, and three answers.
@Suite("Names: what is hidden, what crosses an origin, what tells responses apart", .timeLimit(.minutes(60)), .paced)
struct SecretNamesTests {
    static let secret = [
        "token", "access_token", "accessToken", "accesstoken", "refresh-token", "X-Auth-Token", "id_token_hint",
        "password", "passwd", "user[password]", "newPassword", "passwordHash", "PASSWORD2", "passphrase", "pwd", "pass",
        "secret", "client_secret", "clientSecret", "secretKey", "key", "api_key", "apikey", "apiKey", "X-API-Key",
        "APIKey", "AWSAccessKeyId", "signature", "X-Amz-Signature", "sig", "auth", "oauth_verifier_auth",
        "X-Authorization",
        "client_assertion", "assertion", "SAMLResponse", "samlresponse", "SAMLRequest", "saml_token", "DPoP", "dpop",
        "ticket", "serviceTicket", "totp", "totp_code", "otp", "jwt", "id.jwt", "credential", "credentials",
        "session", "sessionid", "JSESSIONID", "PHPSESSION", "sid", "connect.sid", "code", "auth_code", "pin", "cvc",
        "csrf_token",
        "X-CSRF", "cookie", "hmac", "bearer", "oauth2_token", "tokens", "api_keys", "userpasswordhash", "apikeyvalue",
        "authorizationcode", "refreshtokenvalue", "oauthverifier", "codeverifier", "logincookie", "smsotp",
        "clientassertion",
    ]
    static let plain = [
        "author", "X-Author", "authors", "authority", "postcode", "zipcode", "countrycode", "keyboard", "keyword",
        "keywords", "monkey", "monkeys", "turkey", "hockey", "compass", "bypass", "tickets", "secretary", "tokenizer",
        "passenger", "passwordless",
        "sessions", "side", "sigma", "pinned", "spinning", "decoder", "encoded", "barcode", "id", "name",
        "status", "X-Tenant", "Accept", "assertive", "business", "address", "",
    ]

    @Test(arguments: Self.secret)
    func `a name with a word of secrets is hidden`(name: String) {
        #expect(Redaction.standard.isSecret(name))
        #expect(Redaction.standard.items("\(name)=x") == "\(name)=***")
    }

    @Test(arguments: Self.plain)
    func `a longer word that only contains one is shown`(name: String) {
        #expect(!Redaction.standard.isSecret(name))
        #expect(Redaction.standard.items("\(name)=x") == "\(name)=x")
    }

    @Test(arguments: [
        "Idempotency-Key", "X-Author", "X-Country-Code", "X-Postcode", "X-Sort-Key", "Sec-WebSocket-Key", "X-Keyboard",
        "If-None-Match", "Accept", "X-Ticket", "Authority", "X-Authorized-By",
    ])
    func `a field crosses an origin unless it is known for credentials`(name: String) {
        #expect(!CredentialFields().contain(name))
    }

    @Test(arguments: [
        "Authorization", "authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "DPoP", "X-Own",
        "X-CSRFToken", "X-Shopify-Access-Token", "CF-Access-Client-Secret", "DD-API-KEY", "x-rapidapi-apikey",
    ])
    func `credentials, cookies and the fields of the app stay on their origin`(name: String) {
        #expect(CredentialFields(["x-own"]).contain(name))
    }

    @Test func `a redirection takes along what is no credential`() throws {
        let fields: HTTPFields = [
            "Idempotency-Key": "1", "X-Author": "Ann", "X-Country-Code": "CH", "Authorization": "Basic x",
            "Cookie": "a=1",
            "X-Own": "x", "Host": "virtual.test",
        ]
        let request = HTTPRequest(method: .post, url: try HTTPURL("https://a.test/"), headers: fields)
        let head = HTTPResponse.Head(status: 307, headers: ["Location": "https://b.test/"])
        var trail = RedirectTrail(.follow(), secrets: ["X-Own"])
        let next = try trail.redirection(of: request, sentAs: request, by: head)?.request
        #expect(next?.headers == ["Idempotency-Key": "1", "X-Author": "Ann", "X-Country-Code": "CH"])
    }

    @Test func `responses are told apart by what may say who asks`() {
        let redaction = Redaction(secretHeaders: ["X-Own"])
        let fields: HTTPFields = [
            "Authorization": "Basic x", "Cookie": "a=1", "X-Own": "1", "X-Login-Token": "1", "X-Author": "Ann",
            "Idempotency-Key": "1", "Accept": "*/*",
        ]
        let identity = fields.identity(.standard, redaction).map(\.name)
        #expect(identity == ["authorization", "cookie", "x-login-token", "x-own"])
    }
}
