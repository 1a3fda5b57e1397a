extension Parameters {
    /// Lends the values as libpq takes them: pointers to C strings in the buffer, nil for NULL.
    @inline(__always)
    func withCStrings<Result>(
        _ body: (CInt, UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        unsafe storage.withUnsafeBytes { bytes in
            unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { pointers in
                var place = 0
                for index in 0..<count {
                    let length = unsafe Int32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int32.self))
                    place &+= 4
                    let start = unsafe bytes.baseAddress?.advanced(by: place).assumingMemoryBound(to: CChar.self)
                    unsafe pointers.initializeElement(at: index, to: length < 0 ? nil : start)
                    place &+= Int(max(0, length)) &+ 1
                }
                return unsafe body(CInt(truncatingIfNeeded: count), UnsafePointer(pointers.baseAddress))
            }
        }
    }
}
