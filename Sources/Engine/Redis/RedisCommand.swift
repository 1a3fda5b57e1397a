/// The bytes of a command.
enum RedisCommand {
    static func bytes(_ words: [String]) -> [UInt8] {
        var bytes = Array("*\(words.count)\r\n".utf8)
        for word in words {
            bytes += Array("$\(word.utf8.count)\r\n".utf8)
            bytes += Array(word.utf8)
            bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        }
        return bytes
    }

    /// Version 3 tells messages of a channel from answers, so that one connection does both.
    static func hello(_ login: RedisAddress.Login?) -> [UInt8] {
        bytes(["HELLO", "3"] + (login.map { ["AUTH", $0.user, $0.password] } ?? []))
    }
}
