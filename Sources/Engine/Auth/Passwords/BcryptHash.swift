import SwiftletCCrypt

/// A bcrypt hash: `$2b$10$` and 53 characters, of which the first 22 are the salt.
///
/// `$2a$` and `$2y$` are older names of the same algorithm. `$2x$` marks hashes of a broken implementation with many
/// collisions; it is not accepted.
struct BcryptHash {
    let text: String

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == Self.length, let cost = Self.cost(bytes), PasswordHash.costs.contains(cost),
            bytes[7...].allSatisfy(Self.isAlphabet)
        else { return nil }
        self.text = text
    }

    /// `password` must have no NUL and at most 511 bytes; those after the 72nd are ignored.
    func matches(_ password: String) -> Bool {
        guard let computed = Self.hash(password, setting: text) else { return false }
        // The last character of the salt has unused bits, which libcrypt clears: the salts are not compared.
        return isEqualInConstantTime(Self.checksum(computed).span, Self.checksum(text).span)
    }

    static func make(_ password: String, cost: Int) throws(PasswordError) -> BcryptHash {
        guard PasswordHash.costs.contains(cost) else { throw .unsupportedCost(cost) }
        guard let salt = try? RandomBytes.make(count: saltBytes), let setting = setting(cost: cost, salt: salt),
            let text = hash(password, setting: setting), let hash = BcryptHash(text)
        else { throw .unavailable }
        return hash
    }

    private static let length = 60
    private static let saltBytes = 16
    private static let checksumLength = 31

    private static func cost(_ bytes: [UInt8]) -> Int? {
        guard bytes[0] == UInt8(ascii: "$"), bytes[1] == UInt8(ascii: "2"), bytes[3] == UInt8(ascii: "$"),
            bytes[6] == UInt8(ascii: "$"),
            [UInt8(ascii: "a"), UInt8(ascii: "b"), UInt8(ascii: "y")].contains(bytes[2]),
            let tens = digit(bytes[4]), let ones = digit(bytes[5])
        else { return nil }
        return tens * 10 + ones
    }

    private static func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
    }

    private static func isAlphabet(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    private static func checksum(_ text: String) -> [UInt8] {
        Array(text.utf8.suffix(checksumLength))
    }

    private static func setting(cost: Int, salt: [UInt8]) -> String? {
        let salt = salt.map { CChar(bitPattern: $0) }
        var output = [CChar](repeating: 0, count: Int(CRYPT_GENSALT_OUTPUT_SIZE))
        let isMade =
            unsafe crypt_gensalt_rn(
                "$2b$",
                UInt(cost),
                salt,
                CInt(salt.count),
                &output,
                CInt(output.count)
            ) != nil
        return isMade ? text(output) : nil
    }

    /// libcrypt wipes its work area itself and leaves only the hash in it.
    private static func hash(_ password: String, setting: String) -> String? {
        var area = [CChar](repeating: 0, count: MemoryLayout<crypt_data>.size)
        let isMade = unsafe crypt_rn(password, setting, &area, CInt(area.count)) != nil
        // The result is the first member of crypt_data.
        return isMade ? text(area) : nil
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
