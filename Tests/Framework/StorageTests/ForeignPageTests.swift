import Testing

@testable import SwiftletStorage

@Suite struct ForeignPageTests {
    private func page(_ head: String, _ keys: String...) throws -> ForeignPage {
        let contents = keys.map { "<Contents><Key>\($0)</Key><Size>1</Size></Contents>" }.joined()
        return try ForeignPage("<ListBucketResult>\(head)\(contents)</ListBucketResult>", prefix: "old/")
    }

    @Test func `decodes names only if the server says that it has encoded them`() throws {
        let encoded = try page("<EncodingType>url</EncodingType>", "old/a+b", "old/a%2Bb", "old%2F%C3%A9%25")
        #expect(encoded.names == ["a b", "a+b", "é%"])
        let plain = try page("", "old/a+b", "old/100%25", "old/&lt;&apos;&amp;lt;")
        #expect(plain.names == ["a+b", "100%25", "<'&lt;"])
    }

    @Test func `a list that is broken off is not taken for a whole one`() throws {
        let more = "<NextContinuationToken>t</NextContinuationToken>"
        #expect(try page("<IsTruncated>true</IsTruncated>" + more).nextToken == "t")
        #expect(try page("<IsTruncated>false</IsTruncated>" + more).nextToken == nil)
        #expect(throws: StorageError.self) { try page("<IsTruncated>true</IsTruncated>", "old/a") }
        #expect(throws: StorageError.self) {
            try page("<IsTruncated>true</IsTruncated><NextContinuationToken></NextContinuationToken>")
        }
    }
}
