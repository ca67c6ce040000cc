internal import CErrandCodings

internal import struct Foundation.Data

/// Compresses bytes to the gzip format (RFC 1952), piece by piece, with the system's zlib.
///
/// Belongs to one task at a time. Safe although it holds a pointer: the compressor is made and freed with it, and
/// nothing of a call outlives the call.
@safe
final class GzipEncoder {
    private let deflater: OpaquePointer

    private var room = [UInt8](repeating: 0, count: 32 << 10)

    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` for a level outside of 0 to 9, and
    ///   where there is no zlib.
    init(level: Int) throws(ErrandError) {
        guard (0...9).contains(level) else {
            throw ErrandError(.encodingFailed, "the level of gzip is from 0 to 9, and \(level) is not")
        }
        if let problem = unsafe errand_zlib_load() {
            throw ErrandError(.encodingFailed, "the body cannot be compressed: \(unsafe String(cString: problem))")
        }
        guard let deflater = unsafe errand_deflater_make(Int32(level)) else {
            throw ErrandError(.encodingFailed, "there is no memory to compress the body")
        }
        unsafe self.deflater = deflater
    }

    deinit {
        unsafe errand_deflater_free(self.deflater)
    }

    /// Compresses bytes; returns what came of them and of those before, which may be nothing yet.
    ///
    /// - Parameters:
    ///   - data: The next bytes.
    ///   - isLast: Whether there are none after them.
    /// - Returns: Compressed bytes.
    /// - Throws: ``ErrandError`` when zlib fails.
    func encode(_ data: Data, isLast: Bool) throws(ErrandError) -> Data {
        var (output, taken, isOver) = (Data(), 0, false)
        while taken < data.count || (isLast && !isOver) {
            let step = unsafe data.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[taken...])
                return unsafe errand_deflate(
                    self.deflater, rest.baseAddress?.assumingMemoryBound(to: UInt8.self), rest.count, &self.room,
                    self.room.count, isLast)
            }
            guard !step.isBroken, step.taken > 0 || step.made > 0 || step.isOver else {
                throw ErrandError(.encodingFailed, "the body cannot be compressed")
            }
            output.append(contentsOf: self.room[..<step.made])
            taken += step.taken
            isOver = step.isOver
        }
        return output
    }
}
