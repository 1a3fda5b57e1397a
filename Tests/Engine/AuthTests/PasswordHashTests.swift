import SwiftletTesting
import Testing

@testable import SwiftletAuth

@Suite(.hangLimit) struct PasswordHashTests {
    private static let phrase = "correct horse battery staple"
    private static let polyglot = "pässwörd 🗝 пароль"

    /// Made with Python's bcrypt and argon2-cffi, and the vectors of crypt_blowfish.
    static let known: [(String, String)] = [
        (phrase, "$2a$04$UquImDBjNW3AQ40VZhsEoOuAd.cAbarbLOuijKwIUue9XFtmPGpE6"),
        (phrase, "$2b$04$y.yCu7dfYccRs.ke7rTgv.xixc9FGocJaDC2wbToEimHqI83mBCl."),
        (phrase, "$2y$04$eQx19s0srrb3ZidVmk3Y3.woPhfIRGGfRPmJeZpIf9HYXuXhD1nSi"),
        (phrase, "$2a$10$mRC.i0dc3jrArU.fbzGP4ueuDa/7YYl7UJPdVl/9/SdfRJy/3hzXe"),
        (polyglot, "$2b$04$g6cETzCZ.z6K7PizylpUCu.nDVrum5YMS3RdstIapnHv/wXWGbsye"),
        (String(repeating: "x", count: 72), "$2b$04$EjXevJkgeId0cD/hm1lRfeGqugTfX6bzf1ei50ro7hpsHsHkpqN7W"),
        ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
        ("U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
        (phrase, argon2("id", 19, "m=1024,t=2,p=2", "lxc124+vIvGp8StShsRX2KE7mjLt9MPb00ohcHLqWCI")),
        (phrase, argon2("i", 19, "m=1024,t=2,p=2", "bCSBkjBwOK1HfQcXEnJj0+jpB8X/NRicZRtMlzOJ2H4")),
        (phrase, argon2("i", 16, "m=1024,t=2,p=2", "OrQtJG1AFo2gL4joE45oFPqAD9gxrjQkBtruS8XXezk")),
        (phrase, argon2("id", 16, "m=1024,t=2,p=2", "ezjLnP5cfq+p58wfpfAY1ye/7V7x12ZJV2P6gGcFp8Q")),
        (phrase, argon2("id", 19, "m=65536,t=3,p=4", "ME3HEImHX+cFSXzf9iiG7jdoDnYO3JSp1u1rZwmBR5Q")),
        (polyglot, argon2("id", 19, "m=64,t=1,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM")),
    ]

    private static func argon2(_ kind: String, _ version: Int, _ parameters: String, _ tag: String) -> String {
        "$argon2\(kind)$v=\(version)$\(parameters)$c29tZXNhbHQtMTZieXRlcw$\(tag)"
    }

    @Test(arguments: known)
    func `accepts the password of a hash made elsewhere, and no other`(password: String, hash: String) {
        #expect(PasswordHash.isSupported(hash))
        #expect(PasswordHash.isValid(password, for: hash))
        #expect(!PasswordHash.isValid(password.uppercased() + "?", for: String(hash)) || password.utf8.count == 72)
        #expect(!PasswordHash.isValid(String(password.dropLast()), for: hash))
    }

    @Test func `reads an Argon2 hash of the first version without its number`() {
        let hash = "$argon2i$m=1024,t=2,p=2$c29tZXNhbHQtMTZieXRlcw$OrQtJG1AFo2gL4joE45oFPqAD9gxrjQkBtruS8XXezk"
        #expect(PasswordHash.isValid(Self.phrase, for: hash))
    }

    @Test(arguments: ["a", "secret-for-tests", polyglot, String(repeating: "x", count: 72)])
    func `accepts what it made`(password: String) throws {
        let hash = try PasswordHash.make(password, cost: 4)
        #expect(hash.hasPrefix("$2b$04$"))
        #expect(hash.utf8.count == 60)
        #expect(PasswordHash.isValid(password, for: hash))
        #expect(!PasswordHash.isValid("b" + password.dropFirst(), for: hash))
        #expect(try PasswordHash.make(password, cost: 4) != hash)
    }

    @Test(arguments: [
        ("", PasswordError.empty), (String(repeating: "x", count: 73), .tooLong(bytes: 73)),
        (String(repeating: "ä", count: 37), .tooLong(bytes: 74)), ("before\0after", .containsNUL),
    ])
    func `refuses passwords that bcrypt would truncate`(password: String, error: PasswordError) {
        #expect(throws: error) { try PasswordHash.make(password, cost: 4) }
    }

    @Test(arguments: [-1, 0, 3, 16, 31, 32, Int.max])
    func `refuses to make hashes of unsupported cost`(cost: Int) {
        #expect(throws: PasswordError.unsupportedCost(cost)) { try PasswordHash.make("secret", cost: cost) }
    }

    @Test func `reads a longer password as other servers do, by its first 72 bytes`() throws {
        let hash = try PasswordHash.make(String(repeating: "x", count: 72), cost: 4)
        #expect(PasswordHash.isValid(String(repeating: "x", count: 100), for: hash))
        #expect(!PasswordHash.isValid(String(repeating: "x", count: 71) + "yx", for: hash))
        #expect(!PasswordHash.isValid(String(repeating: "x", count: 512), for: hash))
    }

    @Test func `does not stop reading at a NUL`() throws {
        let hash = try PasswordHash.make("before", cost: 4)
        #expect(!PasswordHash.isValid("before\0after", for: hash))
        #expect(!PasswordHash.isValid("\0", for: hash))
        #expect(!PasswordHash.isValid("", for: hash))
    }

    /// Some old implementations left bits in the salt's last character that mean nothing.
    @Test func `ignores the meaningless bits of a salt`() {
        let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC/E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
        #expect(PasswordHash.isValid("U*U", for: hash))
    }

    /// None of these may be computed: the time limit of the suite is part of the test.
    @Test(arguments: [
        "", "x", "$", "$2b$", "*0", "secret", "$1$abcdefgh$aaaaaaaaaaaaaaaaaaaaaa", "$fbscrypt$v=1,n=14,r=8,p=1$x$y",
        "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$16$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$-5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeWW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC:E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        "$2a$05$CCCCCCCCCCCCCCCCCCCCC\0E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
        argon2("id", 19, "m=4294967295,t=1,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=99999999999999999999,t=1,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=262145,t=1,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=262144,t=5,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=64,t=4294967295,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=64,t=65,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=262144,t=1,p=16777215", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=7,t=1,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=64,t=0,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=64,t=1,p=0", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=64,t=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=64,t=1,p=1,keyid=abc", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=+64,t=1,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 18, "m=64,t=1,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM"),
        argon2("id", 19, "m=64,t=1,p=1", "818e0V0O"), argon2("id", 19, "m=64,t=1,p=1", ""),
        argon2("id", 19, "m=64,t=1,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNcM$"),
        argon2("id", 19, "m=64,t=1,p=1", "818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGNNNc="),
        argon2("d", 19, "m=1024,t=2,p=2", "Y5OETVYMRmCG2XYV4iIrow36gD7w9WML+Z95y/TfuGw"),
        "$argon2id$v=19$m=64,t=1,p=1$\(String(repeating: "A", count: 5000))$818e0V0OoREHkrJxr2dZUswE8RBGdxogsROFQGN",
    ])
    func `verifies no hash with parameters beyond the limits`(hash: String) {
        #expect(!PasswordHash.isSupported(hash))
        #expect(!PasswordHash.isValid("U*U", for: hash))
        #expect(!PasswordHash.isValid(Self.phrase, for: hash))
        #expect(!PasswordHash.isValid(Self.polyglot, for: hash))
    }
}
