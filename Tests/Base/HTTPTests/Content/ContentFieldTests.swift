import SwiftletHTTP
import Testing

@Suite struct ContentFieldTests {
    @Test(arguments: [
        ("a.png", "a.png"), ("../../etc/passwd", "passwd"), ("C:\\fakepath\\x.jpg", "x.jpg"), (" ..hidden. ", "hidden"),
        ("a\r\nSet-Cookie: x=1", "aSet-Cookie: x=1"), ("a\u{0}.png", "a.png"), ("\u{202E}gpj.exe", "gpj.exe"),
        ("Übersicht 2026 – ✓.pdf", "Übersicht 2026 – ✓.pdf"), ("a\"b.txt", "a\"b.txt"),
    ])
    func `makes a file's name of what a client sends`(text: String, name: String) {
        #expect(FileName(text)?.text == name)
    }

    @Test(arguments: ["", " ", ".", "..", "/", "a/", "\u{0}", "\u{200B}", "..\\.."])
    func `refuses a name of which nothing is left`(text: String) {
        #expect(FileName(text) == nil)
    }

    @Test func `cuts a long name before its extension`() throws {
        let name = try #require(FileName(String(repeating: "ä", count: 300) + ".pdf"))
        #expect(name.text.utf8.count == 254)
        #expect(name.text.hasSuffix("ä.pdf"))
        let other = try #require(FileName("a." + String(repeating: "b", count: 300)))
        #expect(other.text.utf8.count == 255)
    }

    @Test(arguments: [
        ("a.png", "attachment; filename=\"a.png\""),
        ("a \"b\"; c.txt", "attachment; filename=\"a _b_; c.txt\"; filename*=UTF-8''a%20%22b%22%3B%20c.txt"),
        ("Ö%41.pdf", "attachment; filename=\"__41.pdf\"; filename*=UTF-8''%C3%96%2541.pdf"),
    ])
    func `writes a name that old and new clients read`(text: String, field: String) throws {
        let name = try #require(FileName(text))
        let disposition = ContentDisposition.attachment(name)
        #expect(disposition.description == field)
        #expect(ContentDisposition(field)?.fileName == text)
    }

    @Test func `prefers the name in UTF-8, and refuses malformed fields`() {
        let both = ContentDisposition("Attachment; filename=\"old\"; filename*=utf-8'de'n%C3%A4u")
        #expect(both?.kind == "attachment")
        #expect(both?.fileName == "näu")
        #expect(ContentDisposition("attachment; filename*=latin1''x; filename=y")?.fileName == "y")
        for text in ["", ";", "; a=b", "a; b", "a; =b", "a; b=\"c", "a; b c", "a\r\nb"] {
            #expect(ContentDisposition(text) == nil, "\(text)")
        }
    }

    @Test(arguments: [
        ("image/png", "image/png"), ("Text/HTML ; Charset=\"UTF-8\" ; x=y", "text/html; charset=utf-8"),
        ("a/b;", "a/b"), ("multipart/form-data; boundary=x", "multipart/form-data"),
    ])
    func `reads types of content`(text: String, type: String) {
        #expect(MediaType(text)?.description == type)
    }

    @Test(arguments: ["", "image", "image/", "/png", "a/b/c", "a b/c", "a/b c", "a/b; c", "a/b\u{0}", "ä/b"])
    func `refuses what is no type`(text: String) {
        #expect(MediaType(text) == nil)
    }

    @Test func `matches a type, its kind, and any`() throws {
        let type = try #require(MediaType("image/png"))
        #expect(type.matches("image/*"))
        #expect(type.matches("IMAGE/png"))
        #expect(type.matches("*/*"))
        #expect(!type.matches("imag/*"))
        #expect(!type.matches("image/p*"))
        #expect(!type.matches("image/jpeg"))
    }
}
