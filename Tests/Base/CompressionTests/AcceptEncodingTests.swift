import SwiftletCompression
import Testing

@Suite struct AcceptEncodingTests {
    @Test(arguments: [
        ("gzip", true), ("gzip, deflate, br", true), ("br;q=1.0, GZIP;q=0.5", true), ("*", true), ("x-gzip", true),
        ("gzip;q=0", false), ("*;q=0", false), ("identity", false), ("", false), ("deflate", false),
        ("gzip; q=0.2 , identity;q=0.5", false), ("identity;q=0, *", true), ("gzip;q=0, *", false), ("gzip;q=x", false),
        (String(repeating: "gzip,", count: 1000), false),
    ])
    func `a client says whether it takes gzip`(field: String, takes: Bool) {
        #expect(AcceptEncoding.takesGzip(field) == takes)
    }

    @Test func `one that says nothing gets the content as it is`() {
        #expect(!AcceptEncoding.takesGzip(nil))
    }
}
