import SwiftletAuth
import SwiftletJSON
import Synchronization

/// The token that says to Apple who we are. It is renewed when it is 40 minutes old: Apple refuses those older than an
/// hour, and a team that makes new ones more often than every 20 minutes.
final class ProviderToken: Sendable {
    static let lifetime = 40 * 60
    static let shortestLifetime = 20 * 60

    private let key: PrivateKey
    private let team: String
    private let clock: @Sendable () -> Int
    private let issued = Mutex<(text: String, at: Int)?>(nil)

    /// The clock counts seconds since 1970.
    init(_ key: PrivateKey, team: String, clock: @escaping @Sendable () -> Int) {
        self.key = key
        self.team = team
        self.clock = clock
    }

    /// The current one.
    func current() throws(KeyError) -> String { try text(ifOlderThan: Self.lifetime, than: nil) }

    /// One in place of a token that was refused; the same if it is too young to be renewed. Several sends whose token
    /// was refused get the same new one.
    func replacement(for refused: String) throws(KeyError) -> String {
        try text(ifOlderThan: Self.shortestLifetime, than: refused)
    }

    private func text(ifOlderThan seconds: Int, than refused: String?) throws(KeyError) -> String {
        let now = clock()
        let result = issued.withLock { issued -> Result<String, KeyError> in
            if let issued {
                let isNewer = refused.map { $0 != issued.text } ?? false
                if isNewer || (0..<seconds).contains(now - issued.at) { return .success(issued.text) }
            }
            do throws(KeyError) {
                let text = try issue(at: now)
                issued = (text, now)
                return .success(text)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func issue(at now: Int) throws(KeyError) -> String {
        var claims = JSONWriter()
        claims.object { claims in
            claims.member("iss", team)
            claims.member("iat", now)
        }
        return try TokenIssuer(privateKey: key).issue(payload: claims.finish())
    }
}
