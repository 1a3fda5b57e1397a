import SwiftletBytes
import Testing

@testable import SwiftletSignIn

@Suite struct TOTPTests {
    /// RFC 6238 appendix B, the last six digits of the column for SHA-1.
    @Test(arguments: [
        (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
        (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ])
    func `makes the codes of the RFC`(seconds: Int, code: String) throws {
        let totp = try #require(TOTP(base32: Base32.encode(Array("12345678901234567890".utf8))))
        #expect(try totp.code(step: seconds / 30) == code)
    }

    @Test func `takes the neighboring steps and no others`() throws {
        let totp = try TOTP()
        let now = 1_800_000_000
        for distance in -3...3 {
            let code = try totp.code(step: now / 30 + distance)
            let step = try totp.step(of: code, atSeconds: now)
            #expect(step == (abs(distance) <= 1 ? now / 30 + distance : nil), "\(distance)")
        }
        for code in ["", "1", "12345", "1234567", "abcdef"] {
            #expect(try totp.step(of: code, atSeconds: now) == nil)
        }
    }

    @Test func `names issuer and account, whatever is in them`() throws {
        let totp = try #require(TOTP(base32: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))
        #expect(
            totp.address(issuer: "Ä & Söhne?", account: "ada@example.org")
                == "otpauth://totp/%C3%84%20%26%20S%C3%B6hne%3F:ada%40example.org?algorithm=SHA1&digits=6"
                + "&issuer=%C3%84%20%26%20S%C3%B6hne%3F&period=30&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        )
    }

    @Test func `draws a square of modules with a quiet zone, and refuses what does not fit`() throws {
        let svg = try #require(QRCode.svg(of: "otpauth://totp/a:b?secret=GEZDGNBVGY3TQOJQ"))
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
        // The first row of the first finder pattern, and of the second one.
        #expect(svg.contains("d=\"M4 4h7v1h-7z"))
        #expect(svg.contains("viewBox=\"0 0 37 37\""))
        #expect(svg.contains("M26 4h7v1h-7z"))
        #expect(QRCode.svg(of: String(repeating: "x", count: 3000)) == nil)
        #expect(QRCode.svg(of: "a\0b") == nil)
    }
}
