import Testing

@testable import SwiftletSignIn

@Suite struct RedirectTests {
    @Test(arguments: [
        ("https://app.example", "https://app.example?code=c%201"),
        ("https://app.example/x?", "https://app.example/x?code=c%201"),
        ("https://app.example/x?a=b&c", "https://app.example/x?a=b&c&code=c%201"),
        ("https://app.example/#/welcome?a=b", "https://app.example/?code=c%201#/welcome?a=b"),
        ("https://app.example/?a=b#c#d", "https://app.example/?a=b&code=c%201#c#d"),
        ("com.example.app://login-callback", "com.example.app://login-callback?code=c%201"),
        ("com.example.app:/callback?a=1", "com.example.app:/callback?a=1&code=c%201"),
        // A link cannot bring its own code, and a mark after a sign does not hide it.
        ("https://app.example/?code=evil&a=b&c%6Fde=evil&code", "https://app.example/?a=b&code=c%201"),
        ("https://app.example/?\u{301}a=b#\u{301}c", "https://app.example/?\u{301}a=b&code=c%201#\u{301}c"),
    ])
    func `puts a code into the query`(url: String, location: String) {
        #expect(url.withQuery([("code", "c 1")]).unicodeScalars.elementsEqual(location.unicodeScalars))
    }
}
