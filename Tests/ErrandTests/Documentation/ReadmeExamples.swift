internal import Errand
internal import ErrandLogging
internal import TestEffort
internal import Testing

extension Documented {
    /// The example of the README.
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct ReadmeExamples {
        @Test func `what the README begins with compiles`() {
            // It has the network of a real app, so it is not run.
            let example: @Sendable () async throws -> Void = {
                struct GetUser: Endpoint {
                    struct Response: Decodable, Sendable { let nick: String, avatar: String }
                    let id: String
                    var path: EndpointPath { "users/\(self.id)" }
                    var options: RequestOptions { .caching(.fresh(for: .seconds(180))) }
                }

                struct GetImage: Endpoint {
                    let name: String
                    var path: EndpointPath { "images/\(self.name)" }
                }

                let client = Client(baseURL: "https://api.example.com/v1/") { $0.accessories = [LoggingAccessory()] }

                let user = try await client.send(GetUser(id: "1"))
                let (ann, cat) = try await client.batch(GetUser(id: "2"), GetImage(name: "cat")).value
                let avatar = try await client.chain(GetUser(id: "1")).then { GetImage(name: $0.avatar) }.value

                _ = (user, ann, cat, avatar)
            }
            _ = example
        }
    }
}
