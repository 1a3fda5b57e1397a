import Testing

@testable import SwiftletServer

@Suite struct EnvironmentFileTests {
    @Test(arguments: [
        ("A=1", "1"), ("A = 1", nil), ("export A=1", "1"), ("  A=1  ", "1"), ("A=", ""), ("A=a b", "a b"),
        ("A=a # comment", "a"), ("A=a#b", "a#b"), ("A=#b", "#b"), ("A= #b", ""), ("A=  b", "b"), ("A=p=q==", "p=q=="),
        ("A='a # b'", "a # b"),
        (#"A="a\nb\"c\\d\$e""#, "a\nb\"c\\d$e"), (#"A='a\nb'"#, #"a\nb"#), ("A=\"x\" # comment", "x"), ("A=\"\"", ""),
        ("A=${B}", "${B}"), ("A=ünï", "ünï"), ("A=1\r\nB=2", "1"), ("A=1\nA=2", "2"),
    ])
    func `reads a value`(text: String, expected: String?) throws {
        guard let expected else {
            #expect(throws: ConfigurationError.self) { try EnvironmentFile(text) }
            return
        }
        #expect(try EnvironmentFile(text).values["A"] == expected)
    }

    @Test func `passes over empty lines and comments`() throws {
        #expect(try EnvironmentFile("\n# JWT_SECRET=no\n\t\n   # x\nA=1\n").values == ["A": "1"])
    }

    @Test func `tells which names occur twice`() throws {
        #expect(try EnvironmentFile("B=1\nA=1\nC=1\nexport B=2\nA=\n").doubledNames == ["A", "B"])
    }

    @Test func `names every bad line by number, and quotes none`() throws {
        let text = "A=1\nhunter2\n=hunter2\nB-C=hunter2\nD=\"hunter2\nE='x' hunter2\n9F=hunter2\n"
        let error = try #require(throws: ConfigurationError.self) { try EnvironmentFile(text) }
        #expect(error.faults.count == 6)
        for (fault, number) in zip(error.faults, 2...7) {
            #expect(fault.hasPrefix(".env line \(number): "))
            #expect(!fault.contains("hunter2"))
        }
    }
}
