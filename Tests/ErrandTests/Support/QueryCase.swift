internal import Errand
internal import Testing

/// Parameters, and the query that they have to become.
struct QueryCase: Sendable, CustomTestStringConvertible {
    let style: ParameterEncoding.QueryStyle
    let parameters: Parameters
    let query: String
    // Not the values: a date that is none cannot be described.
    let testDescription: String

    init(_ style: ParameterEncoding.QueryStyle, _ parameters: Parameters, _ query: String) {
        self.style = style
        self.parameters = parameters
        self.query = query
        self.testDescription = query
    }

    /// A case of the standard style, which is called by its id.
    init(id: String, _ parameters: Parameters, _ query: String) {
        self.style = .standard
        self.parameters = parameters
        self.query = query
        self.testDescription = id
    }
}
