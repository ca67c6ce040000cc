internal import Errand
internal import Foundation

/// Sends requests with a token that it shares with others like it, until so many were answered or it is killed:
/// `TokenRenewer FILE URL COUNT`.
///
/// Says `begun` with its first response, `done` at the end, and what is wrong if something is.
@main
struct TokenRenewer {
    private struct Item: Endpoint {
        typealias Response = Data
        var path: EndpointPath { "item" }
    }

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let count = Int(arguments[3]) else { exit(2) }
        let login = Client()
        let grant = OAuthGrant.refreshToken(at: "\(arguments[2])token", clientID: "app")
        let tokens = TokenAuthenticator(
            store: TokenAuthenticator.FileStore(file: URL(filePath: arguments[1])), backoff: .every(.zero)
        ) { try await grant.token(renewing: $0, with: login) }
        let client = Client(baseURL: arguments[2]) { $0.credentials.authenticator = tokens }
        var answered = 0
        while answered < count {
            do throws(ErrandError) {
                _ = try await client.send(Item())
                answered += 1
                if answered == 1 { self.say("begun") }
            } catch {
                // Others may have used up the token that was renewed for this request.
                guard error.context.status == .unauthorized, error.code == .unacceptableStatus else {
                    self.say("wrong: \(error)")
                    exit(1)
                }
            }
        }
        self.say("done")
    }

    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    }
}
