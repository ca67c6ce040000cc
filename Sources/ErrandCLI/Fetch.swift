internal import Errand
internal import Foundation

/// The call that fetches one URL, whatever it answers.
struct Fetch: Endpoint {
    typealias Response = Data

    let url: String
    let headers: HTTPFields

    var path: String { self.url }
    var validation: ResponseValidation { ResponseValidation(statusCodes: 0...999) }
}
