internal import CErrandCodings

internal import struct Foundation.Data

/// Compresses bytes to the gzip format (RFC 1952), piece by piece, with the system's zlib.
///
/// Used by one task at a time. Safe although it holds a pointer: the compressor is created and freed with it, and no
/// pointer outlives its call.
@safe
final class GzipEncoder {
    private let deflater: OpaquePointer

    private var room = [UInt8](repeating: 0, count: 32 << 10)

    /// - Throws: ``ErrandError`` with the code ``ErrandError/Code/encodingFailed`` for a level outside of 0 to 9, or if
    ///   there is no zlib.
    init(level: Int) throws(ErrandError) {
        guard (0...9).contains(level) else {
            throw ErrandError(.encodingFailed, "the gzip level \(level) is not from 0 to 9")
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

    /// Compresses bytes; returns the available output, which may be empty.
    ///
    /// - Parameters:
    ///   - data: The next bytes.
    ///   - isLast: True for the last bytes.
    /// - Returns: Compressed bytes.
    /// - Throws: ``ErrandError`` if zlib fails.
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
