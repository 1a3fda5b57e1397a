import SwiftletCZlib

/// The coding `gzip` (RFC 1952), by zlib.
package enum Gzip {
    /// zlib's fastest, which takes about ten milliseconds a megabyte and leaves a quarter of usual JSON.
    private static let level: CInt = 1

    /// nil if there is no memory for it.
    package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        // zlib compares the stream's address with the one that it was begun at, so that it must not move.
        unsafe withUnsafeTemporaryAllocation(of: z_stream.self, capacity: 1) { memory -> [UInt8]? in
            guard let stream = memory.baseAddress else { return nil }
            unsafe stream.initialize(to: z_stream())
            guard unsafe czlib_deflate_gzip(stream, level) == Z_OK else { return nil }
            defer { unsafe deflateEnd(stream) }
            let bound = unsafe Int(deflateBound(stream, UInt(bytes.count)))
            return unsafe Array(unsafeUninitializedCapacity: bound) { output, count in
                let isWhole = unsafe run(stream, bytes, output) { unsafe deflate($0, Z_FINISH) }
                count = unsafe isWhole ? bound - Int(stream.pointee.avail_out) : 0
            }
        }
        .flatMap { $0.isEmpty ? nil : $0 }
    }

    /// nil for what is no such coding, is cut off, or becomes longer than `limit`.
    package static func decompress(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        unsafe withUnsafeTemporaryAllocation(of: z_stream.self, capacity: 1) { memory -> [UInt8]? in
            guard let stream = memory.baseAddress else { return nil }
            unsafe stream.initialize(to: z_stream())
            guard unsafe czlib_inflate_gzip(stream) == Z_OK else { return nil }
            defer { unsafe inflateEnd(stream) }
            var isWhole = false
            let result = unsafe Array<UInt8>(unsafeUninitializedCapacity: limit) { output, count in
                isWhole = unsafe run(stream, bytes, output) { unsafe inflate($0, Z_FINISH) }
                count = unsafe limit - Int(stream.pointee.avail_out)
            }
            return isWhole ? result : nil
        }
    }

    /// Whether one step takes all of the input.
    @unsafe
    private static func run(
        _ stream: UnsafeMutablePointer<z_stream>,
        _ input: [UInt8],
        _ output: UnsafeMutableBufferPointer<UInt8>,
        _ step: (UnsafeMutablePointer<z_stream>) -> CInt
    ) -> Bool {
        unsafe input.withUnsafeBufferPointer { input in
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(input.count)
            unsafe stream.pointee.next_out = output.baseAddress
            unsafe stream.pointee.avail_out = UInt32(output.count)
            return unsafe step(stream) == Z_STREAM_END
        }
    }
}
