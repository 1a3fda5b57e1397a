import Testing

@testable import Outbound

@Suite struct OutboundErrorTests {
    @Test func `says its reason`() {
        #expect("\(OutboundError("no answer in time", isTemporary: true))" == "no answer in time")
    }
}
