import SwiftletOutbound
import Testing

@testable import SwiftletStorage

/// Purge, check and sync act on what a list does not name.
@Suite struct S3PageTests {
    private static let object = "<Contents><Key>a/b</Key><ETag>&quot;1&quot;</ETag><Size>3</Size></Contents>"

    private func page(_ content: String, end: String = "</ListBucketResult>") throws -> S3Page {
        try S3Page(HTTPResponse(status: 200, body: Array("<ListBucketResult>\(content)\(end)".utf8)))
    }

    @Test func `names what it lists, and where it goes on`() throws {
        let more = "<IsTruncated>true</IsTruncated><NextContinuationToken>t&amp;</NextContinuationToken>"
        let page = try page(more + Self.object + "<Contents><Key>../x</Key><Size>1</Size></Contents>")
        #expect(page.objects.map(\.key.text) == ["a/b"])
        #expect(page.objects.first?.bytes == 3)
        #expect(page.nextToken == "t&")
        #expect(page.lastKey == "../x")
        #expect(try self.page("<IsTruncated>false</IsTruncated>").nextToken == nil)
    }

    @Test(arguments: [
        "<IsTruncated>true</IsTruncated>" + object,
        "<IsTruncated>true</IsTruncated><NextContinuationToken></NextContinuationToken>" + object,
        object + "<Contents><Size>3</Size></Contents>",
        object + "<Contents><Key>c</Key></Contents>",
        object + "<Contents><Key>c</Key><Size>many</Size></Contents>",
    ])
    func `a list that is broken is not taken for a whole one`(content: String) throws {
        #expect(throws: StorageError.self) { try page(content) }
    }

    @Test(arguments: ["", object, "<IsTruncated>false</IsTruncated>" + object + "<Contents><Key>c</K"])
    func `a list that is cut off is not taken for a whole one`(content: String) throws {
        #expect(throws: StorageError.self) { try page(content, end: "") }
        #expect(throws: StorageError.self) { try ForeignPage("<ListBucketResult>\(content)", prefix: "") }
    }
}
