import SwiftletAuth
import SwiftletEssentials
import SwiftletHTTP

/// A mail in MIME format (RFC 5322, RFC 2045): plain text and HTML as alternatives, both in Base64, so that no line is
/// too long and nothing in them can be mistaken for a header or boundary.
struct MIMEMessage {
    let bytes: [UInt8]

    init(_ mail: Mail, from sender: MailAddress, named name: String?, to recipient: MailAddress, at seconds: Int) {
        let (first, second) = RandomBytes.identifier()
        let mark = String(first, radix: 36) + String(second, radix: 36)
        let host = sender.rawValue.split(separator: "@").last ?? "localhost"
        // RFC 5322 §3.3 requires a numeric offset.
        let date = HTTPDate(secondsSince1970: seconds).description.replacing("GMT", with: "+0000")
        var text = "Date: \(date)\r\n"
        text += "From: \(name.map { EncodedWord.phrase($0) + " " } ?? "")<\(sender.rawValue)>\r\n"
        text += "To: <\(recipient.rawValue)>\r\n"
        text += "Subject: \(EncodedWord.text(mail.subject))\r\n"
        text += "Message-ID: <\(mark)@\(host)>\r\n"
        // RFC 3834 §5: suppresses automatic replies.
        text += "Auto-Submitted: auto-generated\r\n"
        text += "MIME-Version: 1.0\r\n"
        text += "Content-Type: multipart/alternative; boundary=\"=_\(mark)\"\r\n\r\n"
        for (type, body) in [("plain", mail.text), ("html", mail.html)] {
            text += "--=_\(mark)\r\nContent-Type: text/\(type); charset=utf-8\r\n"
            text += "Content-Transfer-Encoding: base64\r\n\r\n\(Self.base64(body))\r\n"
        }
        text += "--=_\(mark)--\r\n"
        bytes = Array(text.utf8)
    }

    private static func base64(_ text: String) -> String {
        // RFC 2046 §4.1.1: text lines end in CR LF, also inside Base64.
        let lines = text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n")
        let options: Data.Base64EncodingOptions = [
            .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
        ]
        return Data(lines.utf8).base64EncodedString(options: options)
    }
}
