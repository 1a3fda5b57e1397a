import SwiftletEventLoop
import Synchronization

extension HTTPEngine {
    private static let standing = Mutex<[Trust: HTTPEngine]>([:])

    /// The client for commands and for files on their way to or from a bucket. It has a loop of its own, so that no
    /// request waits for a file, and lasts as long as the process.
    ///
    /// It may ask private addresses, and uses the proxies of the environment. Throws ``HTTPFailure/unavailable`` if no
    /// loop can be started.
    package static func background(trust: Trust = .system) throws(HTTPFailure) -> HTTPEngine {
        try standing.withLock { engines throws(HTTPFailure) in
            if let engine = engines[trust] { return engine }
            guard let group = try? EventLoopGroup.start(count: 1) else { throw .unavailable }
            var settings = HTTPEngineSettings()
            settings.trust = trust
            settings.allowsPrivateAddresses = true
            settings.usesProxy = true
            let engine = HTTPEngine(group.loops, settings)
            engines[trust] = engine
            return engine
        }
    }
}
