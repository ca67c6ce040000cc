/// Names in other libraries, or of parts of `RequestOptions`, for properties that an endpoint declares differently.
enum ForeignNames {
    /// Returns the advice for a name; `nil` if the name is unknown.
    static func remedy(for name: String) -> String? {
        self.remedies[name]
    }

    /// The types of parts of `RequestOptions`: a property of such a type is almost certainly meant as one.
    static let partTypes: Set<String> = [
        "AllowedNetworks", "BandwidthLimit", "CachePolicy", "CacheUse", "CircuitBreaker", "ConnectivityPolicy",
        "CredentialUse", "DeadlineHeader", "DefaultHeaders", "ParameterEncoding",
        "EndpointTimeouts", "HTTPCredential", "HedgePolicy", "RedirectPolicy", "RequestPriority",
        "ResponseDestination", "RetryPolicy", "Timeouts", "UploadResumption", "[any Accessory]", "[any Interceptor]",
    ]

    /// The names by the equivalent modifier of `RequestOptions`.
    static let ofOptions: [(modifier: String, names: [String])] = [
        (
            "retries",
            [
                "retries", "retry", "retryPolicy", "retryCount", "retryLimit", "maxRetries", "maxRetryCount",
                "maximumRetries",
            ]
        ),
        (
            "timeout",
            [
                "timeout", "timeouts", "timeOut", "timeoutInterval", "requestTimeout", "requestTimeoutInterval",
                "timeoutIntervalForRequest",
            ]
        ),
        (
            "caching",
            [
                "caching", "cache", "cachePolicy", "cacheTime", "cacheDuration", "cacheLifetime",
                "cacheTimeInSeconds", "cacheVersion", "cacheSensitiveData",
            ]
        ),
        ("cacheParameters", ["cacheParameters"]),
        ("cacheUse", ["cacheUse", "ignoreCache", "ignoresCache"]),
        ("priority", ["priority", "requestPriority", "taskPriority"]),
        ("redirects", ["redirects", "redirectPolicy", "followRedirects", "followsRedirects", "allowsRedirects"]),
        ("coalescing", ["isCoalesced", "coalescing", "coalesces", "deduplicates", "isDeduplicated"]),
        (
            "credentials",
            [
                "credential", "credentials", "usesCredentials", "authentication", "authorization", "authorizationType",
                "requiresAuthentication", "requestAuthorizationHeaderFieldArray",
            ]
        ),
        ("sendingSecretsToAllOrigins", ["sendsSecretsElsewhere"]),
        ("defaultHeaders", ["defaultHeaders"]),
        ("omittingHeaders", ["omittedHeaders"]),
        ("parameterEncoding", ["parameterEncoding"]),
        ("deadlineHeader", ["deadlineHeader"]),
        ("interceptors", ["interceptor", "interceptors", "requestInterceptor"]),
        ("accessories", ["accessory", "accessories", "requestAccessories"]),
        ("hedging", ["hedging", "hedge", "hedgePolicy"]),
        ("circuitBreaker", ["circuitBreaker", "usesCircuitBreaker"]),
        ("connectivity", ["connectivity", "waitsForConnectivity"]),
        ("networks", ["allowedNetworks", "networks", "allowsCellularAccess", "allowsCellular"]),
        ("bandwidth", ["bandwidth", "bandwidthLimit"]),
        ("uploadResumption", ["uploadResumption"]),
        ("destination", ["destination", "downloadDestination", "resumableDownloadPath"]),
        ("tag", ["tag"]),
        ("userInfo", ["userInfo"]),
    ]

    /// The names by the equivalent property of an endpoint.
    private static let ofEndpoints: [(declaration: String, names: [String])] = [
        ("var path: EndpointPath", ["requestUrl", "requestURL", "endpointPath"]),
        ("var baseURL: BaseURL", ["baseUrlString", "cdnUrl", "cdnURL", "usesCDN", "useCDN"]),
        ("var method: HTTPMethod", ["httpMethod", "requestMethod", "verb"]),
        (
            "var parameters: Parameters",
            ["params", "queryItems", "queryParameters", "queryParams", "requestArgument", "urlParameters"]
        ),
        (
            "var headers: HTTPFields",
            [
                "httpHeaders", "headerFields", "httpHeaderFields", "allHTTPHeaderFields", "additionalHeaders",
                "requestHeaders", "requestHeaderFieldValueDictionary",
            ]
        ),
        (
            "var body: RequestBody",
            ["httpBody", "bodyData", "bodyParameters", "requestBody", "constructingBodyBlock"]
        ),
        (
            "var validation: ResponseValidation",
            [
                "validationType", "validStatusCodes", "acceptableStatusCodes", "statusCodeValidator", "jsonValidator",
                "validator",
            ]
        ),
        (
            "var decoder: ResponseDecoder<Response>",
            ["responseDecoder", "jsonDecoder", "responseSerializer", "responseSerializerType"]
        ),
        ("func customRequest() throws -> HTTPRequest?", ["buildCustomUrlRequest", "urlRequest"]),
    ]

    private static let remedies: [String: String] = {
        var remedies: [String: String] = [:]
        for (modifier, names) in ForeignNames.ofOptions {
            for name in names { remedies[name] = "set it in `options`: `.\(modifier)(…)`" }
        }
        for (declaration, names) in ForeignNames.ofEndpoints {
            for name in names { remedies[name] = "write `\(declaration)`" }
        }
        return remedies
    }()
}
