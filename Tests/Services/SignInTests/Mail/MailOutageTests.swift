import SwiftletOutbound
import Testing

@testable import SwiftletSignIn

@Suite struct MailOutageTests {
    private static let pause = MailOutage.pauseNanoseconds

    @Test func `one email at a time tries a server that was out of reach`() {
        var outage = MailOutage()
        outage.note(OutboundError.timeout, at: 10)
        let times = [10, 9 + Self.pause, 10 + Self.pause, 11 + Self.pause, 10 + 2 * Self.pause]
        let attempts = times.map { outage.allowsAttempt(at: $0) }
        #expect(attempts == [false, false, true, false, true])
        outage.hasEnded()
        let isAllowed = outage.allowsAttempt(at: 11 + 2 * Self.pause)
        #expect(isAllowed)
    }

    @Test func `a server that refuses one email is in reach for the others`() {
        var outage = MailOutage()
        outage.note(OutboundError.noConnection, at: 0)
        outage.note(OutboundError("the mail server says 451: not now", isTemporary: true), at: 1)
        let isAllowed = outage.allowsAttempt(at: 2)
        #expect(isAllowed)
    }
}
