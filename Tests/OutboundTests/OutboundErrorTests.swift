import Testing

@testable import Outbound

@Suite struct OutboundErrorTests {
    @Test func `describes itself by its reason`() {
        #expect("\(OutboundError("no answer in time", isTemporary: true))" == "no answer in time")
    }
}
