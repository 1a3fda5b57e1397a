import Testing

@testable import SwiftletSignIn

@Suite struct RedirectRulesTests {
    @Test(arguments: [
        ("https://app.example", true), ("https://app.example/any/path?x=1#y", true), ("HTTPS://APP.example/", true),
        ("https://app.example:8443/", false), ("http://app.example/", false),
        ("https://app.example.evil.example", false),
        ("https://app.example@evil.example/", false), ("https://evil.example/https://app.example", false),
        ("//app.example", false), ("javascript:alert(1)", false), ("https://app.example\\@evil.example", false),
        ("https://app.example/\r\nSet-Cookie: x", false), ("myapp://callback", true), ("myapp://callback?x=1", true),
        ("myapp://other", false), ("https://a.friends.example/x", true), ("https://a.b.friends.example/x", false),
        ("https://a.friends.example/x/y", false), ("https://evil.example/.friends.example/x", false),
        ("https://deep.example/a/b/c", true), ("https://2130706433?.friends.example/x", false),
        // With a mark behind it a slash is another character, and still the end of the host.
        ("https://2130706433/\u{0338}.friends.example/x", false),
        ("https://2130706433?\u{0338}.friends.example/x", false),
        ("https://2130706433#\u{0338}.friends.example/x", false), ("https://evil@\u{0338}a.friends.example/x", false),
        ("https://app.example/stra\u{00DF}e", true), ("https://deep.example/z\u{0338}", true),
        ("http://192.168.1.5:3000/x", true), ("http://192.168.1.5%2Eevil%2Eexample:3000/x", false),
        ("http://192.168.1.5\u{3002}evil\u{FF0E}example:3000/x", false), ("https://b\u{FC}cher.example/x", true),
        ("myapp2://z\u{FC}rich%20west/x", true), ("myapp2://a/b/c", false), ("HTTP://192.168.1.5%2Eevil:3000/x", false),
        ("https://2130706433#.friends.example/x", false), ("https://evil:1@a.friends.example/x", false),
    ])
    func `lets links lead to the site and the listed places`(url: String, isAllowed: Bool) {
        var settings = SignInSettings()
        settings.siteURL = "https://app.example/home"
        settings.redirectAllowList = [
            "myapp://callback", "https://*.friends.example/*", "https://deep.example/**", "http://192.168.1.*:3000/**",
            "https://b\u{FC}cher.example/*", "myapp2://*/*",
        ]
        #expect(RedirectRules(settings).allows(url) == isAllowed)
    }

    @Test func `allows nothing without a site and a list`() {
        #expect(!RedirectRules(SignInSettings()).allows("https://app.example"))
    }

    @Test func `takes no longer for patterns made to be slow`() {
        var settings = SignInSettings()
        settings.redirectAllowList = [String(repeating: "**a", count: 40)]
        #expect(!RedirectRules(settings).allows(String(repeating: "a", count: 2000) + "b"))
    }
}
