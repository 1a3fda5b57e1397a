import SwiftletAuth
import Testing

/// The vectors of RFC 1321 §A.5 and of FIPS 180-2 §B.1.
@Suite struct RunningDigestTests {
    @Test(
        arguments: [
            (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"), (.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ] as [(RunningDigest.Algorithm, String, String)]
    )
    func `digests what came in pieces`(algorithm: RunningDigest.Algorithm, text: String, expected: String) throws {
        let whole = try RunningDigest(algorithm)
        try whole.add(Array(text.utf8))
        #expect(try whole.finish() == expected)
        let pieces = try RunningDigest(algorithm)
        for byte in text.utf8 { try pieces.add([byte]) }
        #expect(try pieces.finish() == expected)
    }
}
