package import Bytes

extension UUIDv7 {
    /// Takes the random bits from ``RandomBytes/identifier()``.
    package init(millisecondsSince1970: Int) {
        self.init(millisecondsSince1970: millisecondsSince1970, random: RandomBytes.identifier())
    }
}
