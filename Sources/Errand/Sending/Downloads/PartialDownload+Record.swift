internal import Foundation

extension PartialDownload {
    /// The record of a download that has not ended, as it is stored beside its pieces.
    ///
    /// A piece is named in it only once the head of its response has shown that its bytes belong there. How much of it
    /// has come the file itself says, so that nothing has to be written while bytes come.
    struct Record: Sendable, Equatable, Codable {
        /// A file with bytes of the body.
        struct Piece: Sendable, Equatable, Codable {
            /// Its name in the folder.
            let name: String
            /// The position of its first byte in the body.
            let first: Int64
            /// The position behind the last byte that it may have: more does not belong to it; `nil` where that is not
            /// known.
            let end: Int64?

            fileprivate var isUsable: Bool {
                UUID(uuidString: self.name) != nil && self.first >= 0 && self.first <= self.end ?? .max
            }
        }

        /// Records of another version are of no use.
        static let currentVersion = 1

        var version = Self.currentVersion
        /// The digest of the URL that is downloaded.
        let url: String
        /// The representation that it is a part of.
        let representation: BodyRepresentation
        /// The number of bytes the body has, where that is known.
        var total: Int64?
        /// The first piece begins at 0.
        var pieces: [Piece]
        /// Fields of the whole response that say what the body is, and that a partial one need not repeat.
        let fields: [String: String]

        /// Those fields of a response that are known: a file says nothing else of one.
        var fieldsOfWhole: [String: String] { self.fields.filter { HTTPResponse.Head.namesOfWhole.contains($0.key) } }

        /// Whether it is of a version that is known, of this URL, has a validator that can be sent, and names only files in
        /// its own folder.
        func isUsable(for url: String) -> Bool {
            self.version == Self.currentVersion && self.url == url && self.pieces.first?.first == 0
                && self.pieces.allSatisfy(\.isUsable) && (self.total ?? 0) >= 0
                && self.representation.validator.isValid
        }
    }
}

extension HTTPResponse.Head {
    /// What a partial response need not repeat, and nothing that is for one user (RFC 9110 §15.3.7).
    var fieldsOfWhole: [String: String] {
        var fields: [String: String] = [:]
        for name in Self.namesOfWhole { fields[name] = self.headers[name] }
        return fields
    }

    fileprivate static let namesOfWhole = [
        HTTPField.Name.contentType, HTTPField.Name.contentDisposition, HTTPField.Name.reprDigest,
    ]
}
