internal import Errand
internal import Foundation

/// Gets a greeting.
struct GetGreeting: Endpoint {
    struct Response: Decodable, Sendable, Equatable { let greeting: String }
    var path: EndpointPath { "greeting" }
}

/// Gets a picture, which is bytes.
struct GetImage: Endpoint {
    typealias Response = Data
    let name: String
    var path: EndpointPath { "images/\(self.name)" }
}

/// Gets a text.
struct GetNote: Endpoint {
    typealias Response = String
    var path: EndpointPath { "note" }
}

/// Gets the information about a user.
struct GetUserInfo: Endpoint {
    struct Response: Decodable, Sendable, Equatable {
        let nick: String
        let level: Int
    }

    let userID: String
    var path: EndpointPath { "users" }
    var parameters: Parameters { ["id": .string(self.userID)] }
}

/// Registers a new user.
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

/// Gets one of several parts, which the server may hold, refuse, or garble.
struct GetPart: Endpoint {
    struct Response: Decodable, Sendable, Equatable { let part: Int }

    let kind: String
    let number: Int
    var path: EndpointPath { "\(self.kind)/\(self.number)" }
}

/// Gets a response that never arrives.
struct GetNothing: Endpoint {
    typealias Response = Data
    var path: EndpointPath { "nothing" }
}
