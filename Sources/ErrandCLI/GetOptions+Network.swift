internal import Errand

internal import struct Foundation.URL

/// The options about the connection to servers.
extension GetOptions {
    static let networkOptions: [OptionDescription<GetOptions>] = [
        OptionDescription("--cacert", value: "FILE", "trust the certificates in this PEM file and no others") {
            options, text in
            options.network.tls.standard.trust = .authorities([.file(URL(filePath: text))])
        },
        OptionDescription("--proxy", value: "URL", "use this proxy; none connects directly") {
            (options, text) throws(UsageError) in options.network.proxy = try Self.proxy(text)
        },
        OptionDescription("--http2", flag: "use HTTP/2 from the first byte, also without TLS") {
            $0.network.httpVersions = .http2PriorKnowledge
        },
        OptionDescription("--http1.1", flag: "speak HTTP/1.1 only") { $0.network.httpVersions = .http1_1 },
        OptionDescription("--raw", flag: "request no content codings, and decode none") {
            $0.network.decodesContent = false
        },
    ]

    private static func proxy(_ text: String) throws(UsageError) -> TransportSettings.Proxy {
        guard text != "none" else { return .none }
        var settings = TransportSettings()
        settings.proxy = .url(text)
        do {
            try settings.validate()
        } catch {
            throw UsageError(message: "--proxy: \(error.message)")
        }
        return settings.proxy
    }
}
