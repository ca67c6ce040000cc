extension String {
    /// Creates a string of UTF-8; `nil` if the bytes are not valid UTF-8.
    ///
    /// `String(validating:as:)`, which needs macOS 15 or iOS 18, where it is there.
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            self.init(comparingUTF8: bytes)
            return
        }
        self.init(validating: bytes, as: UTF8.self)
    }

    /// Decodes what is invalid as replacement characters, and finds that the bytes are others then.
    package init?(comparingUTF8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        guard self.utf8.elementsEqual(bytes) else { return nil }
    }
}
