import SwiftletBytes
import SwiftletCArgon2

/// An Argon2 hash in PHC format: `$argon2id$v=19$m=65536,t=3,p=4$salt$tag`, salt and tag in Base64 without padding.
///
/// `argon2i` and `argon2id` are accepted in both versions; `argon2d`, which leaks by its timing, is not. The parameters
/// are limited to well above what is recommended for passwords (OWASP: 47 MiB at one pass, 12 MiB at three).
struct Argon2Hash {
    private let kind: argon2_type
    private let version: UInt32
    private let memoryKiB: UInt32
    private let passes: UInt32
    private let lanes: UInt32
    private let salt: [UInt8]
    private let tag: [UInt8]

    private static let maximumTextBytes = 512
    private static let maximumMemoryKiB: UInt32 = 262_144
    private static let maximumPasses: UInt32 = 64
    private static let maximumLanes: UInt32 = 16
    /// Of memory times passes, which is the work: 1 GiB takes about a second.
    private static let maximumWorkKiB: UInt32 = 1_048_576
    private static let saltBytes = 8...64
    private static let tagBytes = 16...64
    /// 1.0, which a hash without a version has, and 1.3.
    private static let versions: [UInt32] = [16, 19]

    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumTextBytes else { return nil }
        var fields = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)[...]
        guard fields.popFirst()?.isEmpty == true, let kind = Self.kind(fields.popFirst()) else { return nil }
        var version = Self.versions[0]
        if let stated = fields.first.flatMap({ Self.number($0, after: "v=") }) {
            version = stated
            fields.removeFirst()
        }
        guard Self.versions.contains(version), fields.count == 3,
            let parameters = fields.popFirst()?.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false),
            parameters.count == 3,
            let memoryKiB = Self.number(parameters[0], after: "m="),
            let passes = Self.number(parameters[1], after: "t="),
            let lanes = Self.number(parameters[2], after: "p="),
            (1...Self.maximumPasses).contains(passes), (1...Self.maximumLanes).contains(lanes),
            (8 * lanes...Self.maximumMemoryKiB).contains(memoryKiB), memoryKiB * passes <= Self.maximumWorkKiB,
            let salt = fields.popFirst().flatMap({ Self.decode($0) }), Self.saltBytes.contains(salt.count),
            let tag = fields.popFirst().flatMap({ Self.decode($0) }), Self.tagBytes.contains(tag.count)
        else { return nil }
        self.kind = kind
        self.version = version
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
        self.salt = salt
        self.tag = tag
    }

    /// Computes all lanes one after the other on this thread, so that callers decide how many cores are used.
    func matches(_ password: String) -> Bool {
        var password = Array(password.utf8)
        var salt = salt
        var computed = [UInt8](repeating: 0, count: tag.count)
        let result = unsafe password.withUnsafeMutableBufferPointer { password in
            unsafe salt.withUnsafeMutableBufferPointer { salt in
                unsafe computed.withUnsafeMutableBufferPointer { output in
                    var context = unsafe argon2_context()
                    unsafe context.out = output.baseAddress
                    unsafe context.outlen = UInt32(output.count)
                    unsafe context.pwd = password.baseAddress
                    unsafe context.pwdlen = UInt32(password.count)
                    unsafe context.salt = salt.baseAddress
                    unsafe context.saltlen = UInt32(salt.count)
                    unsafe context.t_cost = passes
                    unsafe context.m_cost = memoryKiB
                    unsafe context.lanes = lanes
                    unsafe context.threads = 1
                    unsafe context.version = version
                    return unsafe argon2_ctx(&context, kind)
                }
            }
        }
        return result == CInt(ARGON2_OK.rawValue) && isEqualInConstantTime(computed.span, tag.span)
    }

    private static func kind(_ field: Substring.UTF8View?) -> argon2_type? {
        switch field.map({ String(decoding: $0, as: UTF8.self) }) {
        case "argon2i": Argon2_i
        case "argon2id": Argon2_id
        default: nil
        }
    }

    /// Up to nine digits, without sign or leading zero.
    private static func number(_ field: Substring.UTF8View, after prefix: String) -> UInt32? {
        guard field.starts(with: prefix.utf8) else { return nil }
        let digits = field.dropFirst(prefix.utf8.count)
        guard (1...9).contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self))
    }

    /// Decodes plain Base64: refuses the characters of the URL alphabet, then translates to it.
    private static func decode(_ field: Substring.UTF8View) -> [UInt8]? {
        guard !field.contains(UInt8(ascii: "-")), !field.contains(UInt8(ascii: "_")) else { return nil }
        let text = field.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return Base64URL.decode(text.span)
    }
}
