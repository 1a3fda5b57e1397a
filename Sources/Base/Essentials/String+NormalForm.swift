#if !canImport(Darwin)
// The standard library's normalizer has no public name (Swift 6.3); Foundation's stands on ICU.
@_spi(_Unicode) import Swift
#endif

extension String {
    /// In the normal form C of Unicode.
    package var inNormalFormC: String {
        #if canImport(Darwin)
        precomposedStringWithCanonicalMapping
        #else
        var scalars = UnicodeScalarView()
        scalars.append(contentsOf: _nfc)
        return String(scalars)
        #endif
    }
}
