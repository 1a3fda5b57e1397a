import SwiftletEventLoop
import SwiftletOutbound

/// Clients on a loop that all tests of a run share.
enum TestHTTP {
    static let engine = engine(trust: .system)

    static func engine(trust: Trust) -> HTTPEngine {
        var settings = HTTPEngine.Settings()
        settings.trust = trust
        settings.allowsPrivateAddresses = true
        return HTTPEngine(group.loops, settings)
    }

    private static let group: EventLoopGroup = {
        do { return try EventLoopGroup.start(count: 1) } catch { preconditionFailure("\(error)") }
    }()
}
