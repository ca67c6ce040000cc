/// How deep arrays, objects and elements may lie in each other, in what is read and in what is sent.
///
/// What reads or writes a document calls itself once or more for each level, in Foundation and in the types of an app
/// too, and a value is taken down in the same way: without a limit a text of some kilobytes could end the process. On
/// the smallest stack that Swift's tasks run on, 512 KiB, Foundation's decoders and a small type come to about 400
/// levels in a debug build, and larger types to fewer.
let depthLimit = 128

extension ErrandError {
    /// What is to be sent has more levels than that.
    static var nestedTooDeep: ErrandError {
        ErrandError(.encodingFailed, "arrays and objects lie more than \(depthLimit) deep in each other")
    }
}

extension Encoder {
    /// Refuses to encode an array or an object that lies too deep.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed``.
    func checkDepth() throws(ErrandError) {
        guard self.codingPath.count < depthLimit else { throw .nestedTooDeep }
    }
}
