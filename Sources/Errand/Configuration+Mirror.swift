// What prints or looks into a configuration, the defaults of a client, or what holds them, finds no secret.

extension Configuration: CustomReflectable {
    /// A mirror of the settings without secrets; of what an app brings along only the type.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "defaults": self.requestDefaults, "secretHeaders": self.secretHeaders, "redirects": self.redirects,
            "cookies": self.cookies.isOn, "authenticator": self.authenticator.map { type(of: $0) } as Any,
            "network": self.network, "transport": self.transport.map { type(of: $0) } as Any,
            "accessories": self.accessories.map { type(of: $0) },
            "interceptors": self.interceptors.map { type(of: $0) },
            "limits": self.limits, "timeouts": self.timeouts, "responseBodyLimit": self.responseBodyLimit,
            "cache": self.cache.map { type(of: $0) } as Any, "appVersion": self.appVersion as Any,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension RequestDefaults: CustomReflectable {
    /// A mirror of the defaults without secrets.
    public var customMirror: Mirror {
        let redaction = Redaction(secretHeaders: self.secretHeaders)
        let children: KeyValuePairs<String, Any> = [
            "baseURL": self.baseURL.map(redaction.reference) as Any,
            "cdnURL": self.cdnURL.map(redaction.reference) as Any,
            "baseURLs": self.baseURLs.mapValues(redaction.reference), "pathFilters": self.pathFilters,
            "headers": self.headers.description(redactedBy: redaction), "defaultHeaders": self.defaultHeaders,
            "credential": self.credential as Any, "credentials": self.credentials,
            "parameterEncoding": self.parameterEncoding, "allowedNetworks": self.allowedNetworks,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension Client: CustomReflectable {
    /// A mirror of the defaults without secrets.
    public var customMirror: Mirror { Mirror(self, children: ["defaults": self.defaults], displayStyle: .class) }
}

extension RequestEnvironment: CustomReflectable {
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension RequestRun: CustomReflectable {
    /// A mirror without children.
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension Request: CustomReflectable {
    /// A mirror of the id and the type of the endpoint, in which there may be anything.
    public nonisolated var customMirror: Mirror {
        Mirror(self, children: ["id": self.id, "endpoint": E.self], displayStyle: .class)
    }
}

extension Activity: CustomReflectable {
    /// A mirror without secrets, those of ``Configuration/secretHeaders`` included.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "id": self.id, "kind": self.kind, "name": self.name, "tag": self.tag as Any,
            "method": self.request?.method as Any, "url": self.request?.url.redacted(by: self.redaction) as Any,
            "headers": self.request?.headers.description(redactedBy: self.redaction) as Any,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension CookiePolicy {
    fileprivate var isOn: Bool {
        if case .off = self { false } else { true }
    }
}
