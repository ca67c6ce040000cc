internal import Errand
internal import TestEffort
internal import Testing

extension Documented {
    /// The examples about the JSON of a whole client.
    @Suite(.timeLimit(.minutes(60)), .paced)
    struct JSONCodingExamples {
        @Test func `snake_case keys for a whole client`() {
            let client = Client(baseURL: "https://api.example.com/v1/") {
                $0.json = JSONCoding(keys: .snakeCase)
            }

            withExtendedLifetime(client) {}
        }
    }
}
