import SwiftletOutbound
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// A provider that answers too slowly, too much, from elsewhere, or not at all.
@Suite(.hangLimit)
struct ProviderCallsTests {
    @Test(arguments: [
        "/hang", "/slow", "/loop", "/redirect?to=/echo", "/steps/3", "/stream?bytes=100000000", "/big?bytes=100000000",
        "/half", "/nothing", "/garbage", "/hugehead", "/missing",
    ])
    func `is given up soon, and before its answer fills the memory`(path: String) async throws {
        let web = try PythonServer.start("web_server.py")
        let calls = ProviderCalls(TestHTTP.engine, timeout: .seconds(2))
        let url = "http://localhost:\(web.port("http"))\(path)"
        let stopwatch = Stopwatch()
        await #expect(throws: ProviderCalls.Failure.self) { _ = try await calls.get(url, token: "of somebody") }
        await #expect(throws: ProviderCalls.Failure.self) { _ = try await calls.post(url, [("code", "c")]) }
        // Two seconds each where it says nothing, on a busy machine; `/slow` alone would take fifty.
        #expect(stopwatch.wallTime < .seconds(30))
    }

    @Test func `gets no credentials in the clear`() async {
        let calls = ProviderCalls(TestHTTP.engine)
        await #expect(throws: ProviderCalls.Failure.self) { _ = try await calls.get("http://provider.example/me") }
    }
}
