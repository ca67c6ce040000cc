public import struct Foundation.URL

/// Where the body of a response goes.
public struct ResponseDestination: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case memory
        case file(URL)
        case stream(buffer: Int)
    }

    package let kind: Kind

    /// Into memory, up to the limit of the configuration.
    public static let memory = ResponseDestination(kind: .memory)

    /// Into a file, however large it is.
    ///
    /// The file appears when the response is complete and accepted, and not before: the body is first written beside
    /// it, into the same folder, under another name. A file that was there is replaced. An endpoint that says this gets
    /// a response whose body is that file.
    public static func file(_ url: URL) -> ResponseDestination {
        ResponseDestination(kind: .file(url))
    }

    /// To a reader, with at most so many bytes waiting for it.
    package static func stream(buffer: Int) -> ResponseDestination {
        ResponseDestination(kind: .stream(buffer: buffer))
    }
}
