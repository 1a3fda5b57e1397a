import SwiftletJSON

/// What is answered while there is no server: a page for browsers, JSON for all others. It is asked again by itself.
enum FailurePage {
    /// A whole response. `head` is the request's.
    static func response(to head: String, _ failure: String) -> [UInt8] {
        let wantsPage = head.split(separator: "\r\n").contains { line in
            let line = line.lowercased()
            return line.hasPrefix("accept:") && line.contains("text/html")
        }
        let (type, body) = wantsPage ? ("text/html; charset=utf-8", page(failure)) : ("application/json", json(failure))
        let fields = [
            "HTTP/1.1 503 Service Unavailable", "Content-Type: \(type)", "Content-Length: \(body.utf8.count)",
            "Cache-Control: no-store", "Retry-After: 1", "Access-Control-Allow-Origin: *", "Connection: close",
        ]
        return Array((fields.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }

    private static func json(_ failure: String) -> String {
        let value: JSONValue = .object([
            "error": .string(failure), "code": "BUILD_FAILED",
            "message": "swiftlet dev --watch has no server to answer",
        ])
        return value.description
    }

    private static func page(_ failure: String) -> String {
        """
        <!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>swiftlet dev</title>
        <style>body{font:16px system-ui;margin:3em}pre{font:14px monospace;white-space:pre-wrap;background:#f4f4f4;\
        padding:1em;border-left:4px solid #c00}</style>
        <h1>There is no server</h1><p>This page looks again every two seconds.</p><pre>\(escaped(failure))</pre>
        """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
