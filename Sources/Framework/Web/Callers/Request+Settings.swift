package import SwiftletHTTP
import SwiftletJSON

extension Request {
    /// What functions and policies read as `request.headers` and `request.cookies`: JSON objects.
    package var settingTexts: (headers: [UInt8], cookies: [UInt8]) {
        var headers = JSONWriter()
        headers.beginObject()
        for (name, value) in fields {
            let name = name.lowercased()
            guard name != "cookie" else { continue }
            headers.key(name)
            headers.write(value)
        }
        headers.endObject()
        return (headers.finish(), cookies)
    }

    private var cookies: [UInt8] {
        guard let header = combinedHeader("Cookie") else { return Array("{}".utf8) }
        var cookies = JSONWriter()
        cookies.beginObject()
        for pair in header.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(Self.trimmed)
            guard parts.count == 2 else { continue }
            cookies.key(parts[0])
            cookies.write(parts[1])
        }
        cookies.endObject()
        return cookies.finish()
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
