internal import Errand
internal import ErrandTesting
internal import Foundation

/// A client over a transport in memory that has two users and their pictures.
func makeClient(_ accessories: any Accessory...) -> Client {
    let transport = StubTransport()
    transport.route("/users/1", .json(#"{"id":"1","nick":"Ann","avatar":"ann"}"#))
    transport.route("/users/2", .json(#"{"id":"2","nick":"Ben","avatar":"ben"}"#))
    transport.route("/users/*", .status(.notFound))
    transport.route("/avatars/*", .data(Data("picture".utf8)))
    transport.route("/comments", method: .post, .json(#"{"number":7}"#))
    return Client(baseURL: "https://api.example.com/") {
        $0.transport = transport
        $0.accessories = accessories
    }
}
