internal import Foundation

extension PartialDownload {
    /// The record of an unfinished download, stored beside its pieces.
    ///
    /// A piece is added to the record only after the head of its response has shown that its bytes belong to the body.
    /// The size of the file is the number of bytes received, so the record need not be written while bytes arrive.
    struct Record: Sendable, Equatable, Codable {
        /// A file with bytes of the body.
        struct Piece: Sendable, Equatable, Codable {
            /// Its name in the folder.
            let name: String
            /// The position of its first byte in the body.
            let first: Int64
            /// The position after the last byte that belongs to it; `nil` if it is unknown.
            let end: Int64?

            fileprivate var isUsable: Bool {
                UUID(uuidString: self.name) != nil && self.first >= 0 && self.first <= self.end ?? .max
            }
        }

        /// Records of other versions are ignored.
        static let currentVersion = 1

        var version = Self.currentVersion
        /// The digest of the download's URL.
        let url: String
        /// The representation of the pieces.
        let representation: BodyRepresentation
        /// The size of the body, if known.
        var total: Int64?
        /// The first piece begins at 0.
        var pieces: [Piece]
        /// Fields that describe the whole body, which a partial response need not repeat.
        let fields: [String: String]

        /// The fields with known names only, since a file is not trusted with others.
        var fieldsOfWhole: [String: String] { self.fields.filter { HTTPResponse.Head.namesOfWhole.contains($0.key) } }

        /// Returns true if the record has a supported version, this URL, a validator that can be sent, and only names
        /// of files in its own folder.
        func isUsable(for url: String) -> Bool {
            self.version == Self.currentVersion && self.url == url && self.pieces.first?.first == 0
                && self.pieces.allSatisfy(\.isUsable) && (self.total ?? 0) >= 0
                && self.representation.validator.isValid
        }
    }
}

extension HTTPResponse.Head {
    /// The fields that a partial response need not repeat, except those for one user (RFC 9110 §15.3.7).
    var fieldsOfWhole: [String: String] {
        var fields: [String: String] = [:]
        for name in Self.namesOfWhole { fields[name] = self.headers[name] }
        return fields
    }

    fileprivate static let namesOfWhole = [
        HTTPField.Name.contentType, HTTPField.Name.contentDisposition, HTTPField.Name.reprDigest,
    ]
}
