public import struct Foundation.Data
public import class Foundation.JSONDecoder
public import class Foundation.PropertyListDecoder

// MARK: - JSON and property lists

extension ResponseDecoder where Output: Decodable {
    /// Decodes a `Decodable` value, or a ``JSONValue``, from JSON (RFC 8259).
    ///
    /// Accepts `application/json`, `text/json`, `text/javascript` and `application/*+json`, and dates in the format of
    /// RFC 3339. A body that is empty, or only white space, is `nil` for an optional, ``JSONValue/null`` for a
    /// ``JSONValue``, and an error for all other types.
    ///
    /// Of two members with the same name, the last one wins, as in a ``JSONValue``. A number that does not fit its
    /// type, such as `300` for an `Int8`, is an error that names its path.
    ///
    /// `JSONDecoder` takes canonically equivalent names, such as "é" as one code point and as two, for one: an object
    /// with both is rejected, because one of the members would be lost. A ``JSONValue`` keeps both.
    public static var json: ResponseDecoder<Output> { ResponseDecoder(base: JSONBodyDecoder(.inherited)) }

    /// Decodes JSON as ``json`` does, with strategies for this one endpoint.
    ///
    /// A ``JSONValue`` ignores them.
    ///
    /// - Parameters:
    ///   - keys: The conversion of member names to property names; `nil` leaves them unchanged.
    ///   - dates: The date strategy; `nil` uses the format of RFC 3339.
    ///   - removingNulls: Pass true to remove `null` members and elements first, at any depth.
    /// - Returns: The decoder.
    public static func json(
        keys: JSONDecoder.KeyDecodingStrategy? = nil, dates: JSONDecoder.DateDecodingStrategy? = nil,
        removingNulls: Bool = false
    ) -> ResponseDecoder<Output> {
        let isPlain = keys == nil && dates == nil
        let coding = isPlain ? JSONCodingChoice.inherited : .strategies(keys: keys, dates: dates)
        return ResponseDecoder(base: JSONBodyDecoder(coding, removingNulls: removingNulls))
    }

    /// Decodes JSON as ``json`` does, with a decoder that has its own strategies.
    ///
    /// - Parameters:
    ///   - decoder: The decoder; do not change it afterwards.
    ///   - removingNulls: Pass true to remove `null` members and elements first, at any depth.
    /// - Returns: The decoder.
    public static func json(_ decoder: JSONDecoder, removingNulls: Bool = false) -> ResponseDecoder<Output> {
        ResponseDecoder(base: JSONBodyDecoder(.own(decoder), removingNulls: removingNulls))
    }

    /// Decodes a `Decodable` value from a property list, in XML or in the binary format.
    ///
    /// Accepts `application/x-plist` and `application/x-apple-plist`. An empty body is `nil` for an optional, and an
    /// error for all other types.
    public static var plist: ResponseDecoder<Output> { .plist(PropertyListDecoder()) }

    /// Decodes a property list as ``plist`` does, with a decoder that has its settings.
    public static func plist(_ decoder: PropertyListDecoder) -> ResponseDecoder<Output> {
        ResponseDecoder(base: PropertyListBodyDecoder(decoder))
    }
}

extension ResponseDecoder {
    /// Not available for a value that is not `Decodable`.
    @available(*, unavailable, message: "the value is not Decodable: make it Decodable, or decode it with a function")
    public static var json: ResponseDecoder<Output> { ResponseDecoder(base: DefaultBodyDecoder()) }
}

// MARK: - Bodies as they are

extension ResponseDecoder where Output == Data {
    /// Returns the bytes of the body; empty for an empty one.
    public static var data: ResponseDecoder<Data> { ResponseDecoder(base: DataBodyDecoder()) }
}

extension ResponseDecoder where Output == String {
    /// Decodes a text in the charset of the response, or in UTF-8 if there is none.
    ///
    /// An empty body is an empty text. The charsets of Unicode, those of ISO 8859 and Windows, and the common ones of
    /// Chinese, Japanese (but not EUC-JP, which Foundation does not have on Linux), Korean and Russian texts are
    /// supported by their IANA names. Bytes that are invalid in the charset are an error, and so is an unknown charset.
    public static var text: ResponseDecoder<String> { ResponseDecoder(base: TextBodyDecoder(charset: nil)) }

    /// Decodes a text in a given charset, whatever the response says; see ``text`` for their names.
    public static func text(charset: String) -> ResponseDecoder<String> {
        ResponseDecoder(base: TextBodyDecoder(charset: charset))
    }
}

extension ResponseDecoder where Output == Void {
    /// Ignores the body.
    public static var void: ResponseDecoder<Void> { ResponseDecoder(base: VoidBodyDecoder()) }
}

extension ResponseDecoder where Output == DownloadedFile {
    /// Returns the file that the body was written to, for an endpoint whose ``ResponseDestination`` is a file.
    ///
    /// A body that was not written to a file is an ``ErrandError`` with the code ``ErrandError/Code/unsupported``.
    public static var file: ResponseDecoder<DownloadedFile> { ResponseDecoder(base: FileBodyDecoder()) }
}

// MARK: - XML

extension ResponseDecoder where Output == XMLTree {
    /// Decodes XML into its root element with its content.
    ///
    /// Accepts `application/xml`, `text/xml` and `application/*+xml`. An empty body is an error, and so is one that is
    /// not well-formed; the message contains the position.
    public static var xml: ResponseDecoder<XMLTree> { ResponseDecoder(base: XMLBodyDecoder()) }
}

extension ResponseDecoder {
    /// Makes the value from the events of an XML document, without a tree.
    ///
    /// ```swift
    /// var decoder: ResponseDecoder<Int> {
    ///     .xml { reader in
    ///         var count = 0
    ///         while let event = try reader.next() { if case .startElement("item", _) = event { count += 1 } }
    ///         return count
    ///     }
    /// }
    /// ```
    ///
    /// An empty body is `nil` for an optional, and an error for all other types.
    public static func xml(
        _ read: @escaping @Sendable (inout XMLReader) throws -> Output
    ) -> ResponseDecoder<Output> {
        ResponseDecoder(base: XMLBodyDecoder(read))
    }

    // MARK: - Several

    /// Uses the first of several decoders that succeeds.
    ///
    /// The decoders that accept the content type of the response are tried in order; if there are none, because the
    /// endpoint's validation accepts other types, all of them are tried. Use ``map(_:)`` to give decoders the same
    /// output type. If all of them fail, the error contains all reasons, with the last one as its cause.
    ///
    /// ```swift
    /// var decoder: ResponseDecoder<Answer> {
    ///     .first(ResponseDecoder.json.map(Answer.done), ResponseDecoder.text.map(Answer.page))
    /// }
    /// ```
    public static func first(_ decoders: ResponseDecoder<Output>...) -> ResponseDecoder<Output> {
        ResponseDecoder(base: FirstBodyDecoder(decoders.map(\.base)))
    }
}
