internal import Errand
internal import Observation

nonisolated struct User: Codable, Hashable, Sendable {
    let id: String
    let nick: String
    let avatar: String
}

struct GetUser: Endpoint {
    typealias Response = User

    let id: String

    var path: EndpointPath { "users/\(self.id)" }
}

struct PostComment: Endpoint {
    struct Response: Decodable, Sendable {
        let number: Int
    }

    let text: String

    var path: EndpointPath { "comments" }
    var method: HTTPMethod { .post }
    var body: RequestBody { .json(["text": self.text]) }
}

@Observable final class Profile {
    private(set) var user: User?
    private(set) var problem: String?
    private let client: Client

    init(client: Client) {
        self.client = client
    }

    func load(_ id: String) async {
        do {
            self.user = try await self.client.send(GetUser(id: id))
        } catch {
            self.problem = error.message
        }
    }
}

nonisolated protocol VersionedEndpoint: Endpoint {}

nonisolated extension VersionedEndpoint {
    var headers: HTTPFields { ["API-Version": apiVersion] }
}

nonisolated let apiVersion = "3"
