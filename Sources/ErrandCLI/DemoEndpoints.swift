internal import Errand
internal import Foundation

/// Asks the server for a greeting.
struct GetGreeting: Endpoint {
    struct Response: Decodable, Sendable, Equatable { let greeting: String }
    var path: EndpointPath { "greeting" }
}

/// Asks for a picture, which is bytes.
struct GetImage: Endpoint {
    typealias Response = Data
    let name: String
    var path: EndpointPath { "images/\(self.name)" }
}

/// Asks for a text.
struct GetNote: Endpoint {
    typealias Response = String
    var path: EndpointPath { "note" }
}

/// Asks for what is known of a user.
struct GetUserInfo: Endpoint {
    struct Response: Decodable, Sendable, Equatable {
        let nick: String
        let level: Int
    }

    let userID: String
    var path: EndpointPath { "users" }
    var parameters: Parameters { ["id": .string(self.userID)] }
}

/// Makes a new user.
struct Register: Endpoint {
    struct Account: Codable, Sendable {
        let name: String
        let password: String
    }
    struct Response: Decodable, Sendable, Equatable { let userID: String }

    let account: Account
    var path: EndpointPath { "register" }
    var method: HTTPMethod { .post }
    var body: RequestBody { .json(self.account) }
}

/// Asks for one of several parts; the server may hold it back, refuse it, or garble it.
struct GetPart: Endpoint {
    struct Response: Decodable, Sendable, Equatable { let part: Int }

    let kind: String
    let number: Int
    var path: EndpointPath { "\(self.kind)/\(self.number)" }
}

/// Asks for something that never comes.
struct GetNothing: Endpoint {
    typealias Response = Data
    var path: EndpointPath { "nothing" }
}
