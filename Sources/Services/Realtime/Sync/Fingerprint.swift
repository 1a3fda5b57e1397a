/// A short text that stands for a longer one, the same on every server (FNV-1a). It keeps no secret.
enum Fingerprint {
    static func of(_ text: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return String(hash, radix: 36)
    }
}
