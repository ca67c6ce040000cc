/// A protocol of Errand whose requirements have defaults, so that a member that almost matches one is ignored.
enum ErrandProtocol: String, CaseIterable, Sendable {
    case endpoint = "Endpoint"
    case processingEndpoint = "ProcessingEndpoint"
    case accessory = "Accessory"
    case asyncAccessory = "AsyncAccessory"
    case interceptor = "Interceptor"

    /// A required property.
    struct Property: Sendable {
        let name: String
        let type: String
        var mayThrow = false
    }

    /// A required function.
    struct Function: Sendable {
        let name: String
        let parameters: [TypeMember.Parameter]
        /// The result type; `nil` if it is not checked.
        var result: String?
        var mayWait = false
        /// The correct declaration.
        let declaration: String
    }

    /// This protocol with those that it refines.
    var all: Set<ErrandProtocol> {
        switch self {
        case .processingEndpoint: [.endpoint, .processingEndpoint]
        case .asyncAccessory: [.accessory, .asyncAccessory]
        case .endpoint, .accessory, .interceptor: [self]
        }
    }

    // MARK: - Requirements

    /// The properties with defaults.
    ///
    /// The compiler reports a missing one without a default.
    var properties: [Property] {
        switch self {
        case .endpoint: Self.ofEndpoints
        case .interceptor: [Property(name: "cachePartition", type: "String")]
        case .processingEndpoint, .accessory, .asyncAccessory: []
        }
    }

    /// The functions with defaults.
    var functions: [Function] {
        switch self {
        case .endpoint: Self.makingOfEndpoints
        case .processingEndpoint: Self.hooksOfEndpoints
        case .accessory: Self.hooksOfAccessories
        case .asyncAccessory: Self.hooksThatWait
        case .interceptor: []
        }
    }

    /// Returns the required function with a name.
    func function(named name: String) -> Function? { self.functions.first { $0.name == name } }

    private static let ofEndpoints = [
        Property(name: "baseURL", type: "BaseURL"),
        Property(name: "method", type: "HTTPMethod"),
        Property(name: "parameters", type: "Parameters", mayThrow: true),
        Property(name: "headers", type: "HTTPFields"),
        Property(name: "body", type: "RequestBody"),
        Property(name: "validation", type: "ResponseValidation"),
        Property(name: "options", type: "RequestOptions"),
        Property(name: "decoder", type: "ResponseDecoder<Response>"),
    ]

    private static let makingOfEndpoints = [
        Function(
            name: "customRequest", parameters: [], result: "HTTPRequest?",
            declaration: "func customRequest() throws -> HTTPRequest?"),
        Function(
            name: "decode", parameters: [TypeMember.Parameter(label: "_", type: "HTTPResponse")],
            declaration: "func decode(_ response: HTTPResponse) throws -> Response"),
    ]

    private static let hooksOfEndpoints = [
        Function(
            name: "prepare", parameters: [TypeMember.Parameter(label: "_", type: "inout HTTPRequest")], mayWait: true,
            declaration: "func prepare(_ request: inout HTTPRequest) async throws"),
        Function(
            name: "didReceive", parameters: [TypeMember.Parameter(label: "_", type: "inout HTTPResponse")],
            mayWait: true,
            declaration: "func didReceive(_ response: inout HTTPResponse) async throws"),
        Function(
            name: "didFinish", parameters: [TypeMember.Parameter(label: "_", type: "TypedResponse<Response>")],
            mayWait: true, declaration: "func didFinish(_ response: TypedResponse<Response>) async"),
        Function(
            name: "didFail", parameters: [TypeMember.Parameter(label: "_", type: "ErrandError")], mayWait: true,
            declaration: "func didFail(_ error: ErrandError) async"),
    ]

    private static let activity = TypeMember.Parameter(label: "_", type: "RequestActivity")
    private static let end = TypeMember.Parameter(label: "_", type: "RequestActivity.End")

    private static let hooksOfAccessories = [
        Function(
            name: "willStart", parameters: [activity], declaration: "func willStart(_ activity: RequestActivity)"),
        Function(
            name: "didStart", parameters: [activity], declaration: "func didStart(_ activity: RequestActivity)"),
        Function(
            name: "willStop", parameters: [activity, end],
            declaration: "func willStop(_ activity: RequestActivity, _ end: RequestActivity.End)"),
        Function(
            name: "didStop", parameters: [activity, end],
            declaration: "func didStop(_ activity: RequestActivity, _ end: RequestActivity.End)"),
        Function(
            name: "observe",
            parameters: [
                TypeMember.Parameter(label: "_", type: "RequestActivity.Event"),
                TypeMember.Parameter(label: "of", type: "RequestActivity"),
            ], declaration: "func observe(_ event: RequestActivity.Event, of activity: RequestActivity)"),
    ]

    /// The hooks that may wait: each replaces the one with the same name that may not.
    private static let hooksThatWait = hooksOfAccessories.filter { $0.name != "observe" }.map { hook in
        Function(
            name: hook.name, parameters: hook.parameters, mayWait: true, declaration: "\(hook.declaration) async")
    }
}
