/// The maximum nesting depth of arrays, objects and elements, for reading and writing.
///
/// Parsers and encoders, in Foundation and in types of an app, recurse at least once per level, and so does the
/// destruction of a value: without a limit, a text of some kilobytes could crash the process. On the smallest stack of
/// Swift tasks, 512 KiB, Foundation's decoders with a small type reach about 400 levels in a debug build, and larger
/// types fewer.
let depthLimit = 128

extension ErrandError {
    /// The error for values that are nested too deeply.
    static var nestedTooDeep: ErrandError {
        ErrandError(.encodingFailed, "arrays and objects are nested more than \(depthLimit) levels deep")
    }
}

extension Encoder {
    /// Checks the depth of an array or object to encode.
    ///
    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` if it is nested too deeply.
    func checkDepth() throws(ErrandError) {
        guard self.codingPath.count < depthLimit else { throw .nestedTooDeep }
    }
}
