import SwiftletTesting
import Testing

@testable import SwiftletHTTP

@Suite struct MultipartParserTests {
    private struct Part: Equatable {
        let name: String
        let fileName: String?
        let contentType: String?
        var content: [UInt8] = []
    }

    private struct Outcome: Equatable {
        var parts: [Part] = []
        var error: MultipartError?
    }

    private static func type(_ boundary: String = "XX") -> MediaType {
        MediaType("multipart/form-data; boundary=\"\(boundary)\"") ?? .bytes
    }

    private static func parse(
        _ bytes: [UInt8],
        cuts: [Int] = [],
        _ type: MediaType = type(),
        _ limits: MultipartParser.Limits = MultipartParser.Limits()
    ) -> Outcome {
        var outcome = Outcome()
        do throws(MultipartError) {
            var parser = try MultipartParser(type, limits: limits)
            var start = 0
            for end in cuts + [bytes.count] {
                parser.feed(Array(bytes[start..<end]))
                start = end
                while let event = try parser.next() {
                    switch event {
                    case .part(let head):
                        let type = head.contentType.map { "\($0)" }
                        outcome.parts.append(Part(name: head.name, fileName: head.fileName, contentType: type))
                    case .data(let bytes): outcome.parts[outcome.parts.count - 1].content += bytes
                    case .endOfPart, .end: break
                    }
                }
            }
            try parser.finish()
        } catch {
            outcome.error = error
        }
        return outcome
    }

    private static let form = """
        --XX\r
        Content-Disposition: form-data; name="note"\r
        \r
        Grüße\r
        --X\r\n--XY: no boundary\r
        --XX \t\r
        content-disposition: form-data; filename="C:\\Users\\a \\"b\\".png"; name=file\r
        Content-Type: image/PNG\r
        X-Other: ignored\r
        \r
        \r\n\r\n--XX--\r
        epilogue --XX
        """

    @Test func `cuts a form into its parts, whatever the chunks`() throws {
        // The second part begins with an empty line and ends before the line end of its boundary.
        let bytes = Array(Self.form.replacing("--X\r\n--XY: no boundary", with: "--X\r\n-XX").utf8)
        let whole = Self.parse(bytes)
        #expect(
            whole.parts == [
                Part(name: "note", fileName: nil, contentType: nil, content: Array("Grüße\r\n--X\r\n-XX".utf8)),
                Part(
                    name: "file",
                    fileName: "C:\\Users\\a \"b\".png",
                    contentType: "image/png",
                    content: Array("\r\n".utf8)
                ),
            ]
        )
        #expect(whole.error == nil)
        for cut in 0...bytes.count { #expect(Self.parse(bytes, cuts: [cut]) == whole) }
        #expect(Self.parse(bytes, cuts: Array(1..<bytes.count)) == whole)
    }

    @Test func `any bytes come back from a form, and damage gives the same outcome in all chunks`() throws {
        var random = SeededGenerator(seed: 7)
        for round in 0..<3000 {
            let boundary = random.element(of: ["a", "--a", "XX", "a'b(c)", String(repeating: "-", count: 70)])
            let lines = ["\r\n--", boundary, "\r", "\n", "-", "", "x", "\r\n--\(boundary.dropLast())", "\u{0}"]
            var contents: [[UInt8]] = []
            var bytes: [UInt8] = []
            for index in 0..<random.below(4) {
                var content = (0..<random.below(12)).flatMap { _ in Array(random.element(of: lines).utf8) }
                let delimiter = Array("\r\n--\(boundary)".utf8)
                if ([13, 10] + content).firstRange(of: delimiter) != nil { content = [] }
                contents.append(content)
                bytes += Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"\(index)\"\r\n\r\n".utf8)
                bytes += content + [13, 10]
            }
            bytes += Array("--\(boundary)--\r\n".utf8)
            let type = Self.type(boundary)
            if random.below(3) > 0 {
                let whole = Self.parse(bytes, type)
                try #require(whole.parts.map(\.content) == contents, "round \(round)")
            } else {
                for _ in 0...random.below(3) {
                    bytes[random.below(bytes.count)] = random.element(of: Array("\r\n-:; \"aX\u{0}".utf8))
                }
            }
            let cuts = (0..<random.below(6)).map { _ in random.below(bytes.count + 1) }.sorted()
            try #require(Self.parse(bytes, cuts: cuts, type) == Self.parse(bytes, type), "round \(round)")
        }
    }

    @Test(arguments: [
        ("", MultipartError.incomplete), ("--XX", .incomplete), ("--XX-", .incomplete), ("--XX\r", .incomplete),
        ("--XX\r\nContent-Disposition: form-data; name=a\r\n\r\ndata", .incomplete),
        ("--XX\r\nContent-Disposition: form-data; name=a\r\n\r\ndata\r\n--XX\r\n", .incomplete),
        ("--XXx\r\n", .badDelimiter), ("--XX\n", .badDelimiter), ("--XX\rx", .badDelimiter), ("--XX -", .badDelimiter),
        ("--XX" + String(repeating: " ", count: 65), .badDelimiter),
        ("--XX\r\n\r\nno head\r\n--XX--", .badHead), ("--XX\r\nContent-Type: text/plain\r\n\r\n", .badHead),
        ("--XX\r\nContent-Disposition: attachment; name=a\r\n\r\n", .badHead),
        ("--XX\r\nContent-Disposition: form-data\r\n\r\n", .badHead),
        ("--XX\r\nContent-Disposition: form-data; name=\"a\r\n\r\n", .badHead),
        ("--XX\r\nContent-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n\r\n", .badHead),
        ("--XX\r\nContent-Disposition: form-data;\r\n name=a\r\n\r\n", .badHead),
        ("--XX\r\nContent-Disposition : form-data; name=a\r\n\r\n", .badHead),
        ("--XX\r\nContent-Disposition: form-data; name=a\u{0}\r\n\r\n", .badHead),
        ("--XX\r\nX: \nContent-Disposition: form-data; name=a\r\n\r\n", .badHead),
        (
            "--XX\r\nContent-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n",
            .encodedPart
        ),
        ("--XX\r\nX: " + String(repeating: "x", count: 8200), .headTooLarge),
        (String(repeating: "x", count: 1100), .preambleTooLarge),
    ])
    func `refuses what is no form`(text: String, error: MultipartError) {
        let bytes = Array(text.utf8)
        #expect(Self.parse(bytes).error == error)
        #expect(Self.parse(bytes, cuts: Array(0..<bytes.count)).error == error)
    }

    @Test func `limits the number of parts`() {
        var limits = MultipartParser.Limits()
        limits.parts = 2
        let part = "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n"
        let forms = (1...3).map { Array((String(repeating: part, count: $0) + "--XX--").utf8) }
        #expect(forms.map { Self.parse($0, Self.type(), limits).error } == [nil, nil, .tooManyParts])
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"a \"",
        "multipart/form-data; boundary=\"a\u{FC}\"",
        "multipart/form-data; boundary=\(String(repeating: "a", count: 71))",
    ])
    func `refuses a type without a boundary`(text: String) throws {
        let type = try #require(MediaType(text))
        #expect(throws: MultipartError.badBoundary) { try MultipartParser(type) }
    }
}
