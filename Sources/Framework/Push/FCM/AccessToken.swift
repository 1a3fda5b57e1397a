import SwiftletAuth
import SwiftletJSON
import SwiftletOutbound
import Synchronization

/// Google's access token for a service account, fetched once for all who wait for it, and kept until it expires.
final class AccessToken: Sendable {
    /// It is renewed before Google refuses it.
    private static let marginSeconds = 120
    private static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    struct Failure: Error {
        let delivery: PushDelivery
    }

    private struct State {
        var text: String?
        var expiresAt = 0
        var isFetching = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var failure: Failure?
    }

    private let account: ServiceAccount
    private let engine: HTTPEngine
    private let clock: @Sendable () -> Int
    private let state = Mutex(State())

    init(_ account: ServiceAccount, _ engine: HTTPEngine, clock: @escaping @Sendable () -> Int) {
        self.account = account
        self.engine = engine
        self.clock = clock
    }

    /// The current one, or a new one where `refused` is the current one.
    func text(insteadOf refused: String? = nil) async throws(Failure) -> String {
        let now = clock()
        let isFirst = state.withLock { state -> Bool? in
            if state.text == refused { state.text = nil }
            if state.text != nil, now < state.expiresAt { return nil }
            defer { state.isFetching = true }
            return !state.isFetching
        }
        switch isFirst {
        case nil: break
        case true?: await fetch()
        case false?: await wait()
        }
        return try state.withLock { state -> Result<String, Failure> in
            if let text = state.text { return .success(text) }
            return .failure(state.failure ?? Failure(delivery: .retry(after: nil, "no access token")))
        }.get()
    }

    private func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                guard state.isFetching else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func fetch() async {
        let result = await exchange()
        let waiters = state.withLock { state in
            switch result {
            case .success(let token):
                state.text = token.text
                state.expiresAt = clock() + max(0, token.seconds - Self.marginSeconds)
                state.failure = nil
            case .failure(let failure):
                state.text = nil
                state.failure = failure
            }
            state.isFetching = false
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// RFC 7523 §2.1.
    private func exchange() async -> Result<(text: String, seconds: Int), Failure> {
        do {
            let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
            let form = "grant_type=\(grant)&assertion=\(try assertion())"
            var request = HTTPRequest("POST", account.tokenURL, body: Array(form.utf8))
            request.headers = [("content-type", "application/x-www-form-urlencoded")]
            request.timeout = .seconds(15)
            request.maximumBodyBytes = 65_536
            return Self.read(try await engine.send(request))
        } catch let error as HTTPFailure {
            let text = "no access token: \(error)"
            let isLater = error.isTemporary || error == .cancelled
            return .failure(Failure(delivery: isLater ? .retry(after: nil, text) : .failed(text)))
        } catch {
            return .failure(Failure(delivery: .failed("the service account's key cannot sign: \(error)")))
        }
    }

    private static func read(_ response: HTTPResponse) -> Result<(text: String, seconds: Int), Failure> {
        let body = try? JSONParser.parse(response.body)
        if response.status == 200, let text = body?["access_token"]?.string, !text.isEmpty {
            return .success((text, body?["expires_in"]?.int ?? 3600))
        }
        let text = "Google's token server says \(response.status)"
        let isFinal = (400..<500).contains(response.status) && response.status != 429 && body?.object != nil
        return .failure(Failure(delivery: isFinal ? .failed(text) : .retry(after: response.retryAfter, text)))
    }

    private func assertion() throws(KeyError) -> String {
        let now = clock()
        var claims = JSONWriter()
        claims.object { claims in
            claims.member("iss", account.email)
            claims.member("scope", Self.scope)
            claims.member("aud", account.tokenURL)
            claims.member("iat", now)
            claims.member("exp", now + 3600)
        }
        return try TokenIssuer(privateKey: account.key).issue(payload: claims.finish())
    }
}
