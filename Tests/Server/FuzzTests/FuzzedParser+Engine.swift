import SwiftletBytes
import SwiftletJSON

@testable import SwiftletAuth
@testable import SwiftletOutbound
@testable import SwiftletPostgres
@testable import SwiftletRedis

extension FuzzedParser {
    static let engine = [
        text("key set", [keySet]) { _ = try KeySet(jwks: Array($0.utf8)) },
        text("path of a claim", ["app_metadata.tenant", "https://a/b", "sub"]) { _ = try ClaimPath($0).accepted() },
        text("bcrypt hash", ["$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"]) {
            _ = try BcryptHash($0).accepted()
        },
        text("Argon2 hash", ["$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b1FQg"]) {
            _ = try Argon2Hash($0).accepted()
        },
        text("address of a call", ["https://a.example:8443/b?c=d#e", "http://[::1]/", "https://user:pw@host/x"]) {
            _ = try WebAddress($0)
        },
        text("network address", ["10.0.0.1", "::ffff:127.0.0.1", "fe80::1%eth0", "64:ff9b::a00:1"]) {
            _ = try NetworkAddress($0).accepted()
        },
        text("array of PostgreSQL", [#"{"a","b\"c",NULL}"#, "{}", "{1,2}"]) { text in
            let elements = try ArrayLiteral.parse(text.utf8.span).accepted()
            let texts = elements.map { $0.map { String(decoding: $0, as: UTF8.self) } }
            try FuzzFault.unless(ArrayLiteral.parse(ArrayLiteral.text(texts).utf8.span) != nil, "it is not read again")
        },
        text("address of a database", ["postgresql://u:p%40@a:1,b:2/d?connect_timeout=2&options=-c%20x%3Dy", "host=a"])
        {
            _ = try ConnectionInfo($0).accepted()
        },
        text(
            "words of a statement",
            [#"WITH a AS (SELECT "b"."c" FROM d) UPDATE e SET f = $1 -- g"#, "/* /* */ */ '''' "]
        ) { text in
            var scanner = SQLScanner(text)
            _ = scanner.understandsQuoting
            while scanner.next() != nil {}
        },
        bytes("message of logical replication", replicationExamples) { _ = try LogicalMessage($0) },
        bytes(
            "frame of replication",
            [[0x77] + [UInt8](repeating: 1, count: 30), [0x6B] + [UInt8](repeating: 0, count: 17)]
        ) { _ = try StreamFrame($0) },
        text("RESP", ["*2\r\n$3\r\nabc\r\n:1\r\n", "+OK\r\n", "%1\r\n+a\r\n_\r\n", "-ERR x\r\n"]) { text in
            var reader = RESPReader()
            reader.append(text.utf8)
            while try reader.next() != nil {}
        },
    ]

    private static let keySet = """
        {"keys":[{"kty":"EC","crv":"P-256","kid":"1","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"},{"kty":"oct","k":"c2VjcmV0"}]}
        """

    /// A row that is inserted, one that is updated behind its old key, and a transaction's begin.
    private static let replicationExamples: [[UInt8]] = [
        Array("I".utf8) + [0, 0, 0, 1] + Array("N".utf8) + [0, 2] + Array("t".utf8) + [0, 0, 0, 1, 0x61]
            + Array("n".utf8),
        Array("U".utf8) + [0, 0, 0, 1] + Array("K".utf8) + [0, 1] + Array("t".utf8) + [0, 0, 0, 1, 0x61]
            + Array("N".utf8) + [0, 1] + Array("u".utf8),
        Array("B".utf8) + [UInt8](repeating: 0, count: 20),
        Array("R".utf8) + [0, 0, 0, 1] + Array("public\0t\0".utf8) + Array("d".utf8) + [0, 1, 1] + Array("id\0".utf8)
            + [0, 0, 0, 23, 255, 255, 255, 255],
    ]
}
