import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON

extension FuzzedParser {
    static let base = [
        bytes("JSON", jsonExamples) { bytes in
            let value = try JSONParser.parse(bytes)
            let again = try? JSONParser.parse(Array(value.description.utf8))
            try FuzzFault.unless(again == value, "what is written is another value")
        },
        bytes("dates of responses", jsonExamples) { bytes in
            let normalized = DateNormalizer.normalize(bytes)
            try FuzzFault.unless(DateNormalizer.normalize(normalized) == normalized, "normalized twice it is another")
        },
        text("CSV", ["a,b\n1,2\n", "\"a\"\"b\",,\r\n\r\n\"x\ny\",z", "é;\"\""]) { _ = try CSVReader.read($0.utf8) },
        text("Base64url", ["", "AA", "aGVsbG8gd29ybGQ", "_-8"]) { text in
            let bytes = try Base64URL.decode(text).accepted()
            try FuzzFault.unless(Base64URL.decode(Base64URL.encode(bytes.span)) == bytes, "it does not come back")
        },
        text("Base32", ["", "GEZDGNBVGY3TQOJQ", "MFRGG==="]) { text in
            let bytes = try Base32.decode(text).accepted()
            try FuzzFault.unless(Base32.decode(Base32.encode(bytes)) == bytes, "it does not come back")
        },
        text("hexadecimal digits", ["", "00ff", "DEADBEEF"]) { text in
            let bytes = try Hexadecimal.decode(text).accepted()
            try FuzzFault.unless(Hexadecimal.decode(Hexadecimal.encode(bytes)) == bytes, "it does not come back")
        },
        text("media type", ["text/plain; charset=utf-8", "multipart/form-data; boundary=\"a b\"", "a/b;c=\"\\\"\""]) {
            _ = try MediaType($0).accepted().description
        },
        text(
            "Content-Disposition",
            ["form-data; name=\"a\"; filename=\"b.txt\"", "attachment; filename*=UTF-8''%e2%82%ac.txt"]
        ) { _ = try ContentDisposition($0).accepted() },
        text("file name", ["a.txt", "ü b.pdf", "..", "a/b"]) { _ = try FileName($0).accepted() },
        text("query", ["a=1&b=%20+c&d", "select=*&id=eq.1&&=", "%ff=%00"]) { text in
            for (name, value) in Query(Array(text.utf8)) { _ = name.utf8.count + value.utf8.count }
        },
        text("multipart", multipartExamples) { text in
            let type = try MediaType("multipart/form-data; boundary=XX").accepted()
            var parser = try MultipartParser(type)
            parser.feed(Array(text.utf8))
            while try parser.next() != nil {}
            try parser.finish()
        },
        bytes("WebSocket frames", webSocketExamples) { bytes in
            var reader = WebSocketFrameReader(maximumMessageBytes: 200)
            reader.append(bytes.span)
            while try reader.next() != nil {}
            try FuzzFault.unless(reader.heldBytes <= bytes.count, "it holds more than it was given")
        },
    ]

    static let jsonExamples = [
        #"{"a":[1,-2.5e3,null,true,{"b":"\u00e9\ud83d\ude00"}],"at":"2024-01-15 10:30:00+02"}"#,
        #"[[[]],{},"",0,1e400,"2024-01-15T10:30:00.123456Z",12345678901234567890]"#,
        #""\"\\\/\b\f\n\r\t""#,
    ].map { Array($0.utf8) }

    private static let multipartExamples = [
        "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--XX--\r\n",
        "x\r\n--XX \r\nContent-Disposition: form-data; name=\"f\"; filename=\"g\"\r\nContent-Type: a/b\r\n\r\n\r\n--X\r\n--XX--",
    ]

    private static let webSocketExamples: [[UInt8]] = [
        [0x81, 0x83, 1, 2, 3, 4, 0x60, 0x60, 0x60],
        [0x01, 0x81, 0, 0, 0, 0, 0x61, 0x80, 0x81, 0, 0, 0, 0, 0x62],
        [0x82, 0xFE, 0, 126, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 126),
        [0x89, 0x80, 0, 0, 0, 0], [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8],
    ]
}
