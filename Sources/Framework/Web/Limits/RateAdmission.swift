import SwiftletAuth

/// What the limits say of one request: before its caller is known, and then again.
struct RateAdmission {
    private var open: [RateCounter]
    private var counts: [(counter: RateCounter, client: String, verdict: RateVerdict)] = []
    private var address: String?
    private let milliseconds: Int

    init(_ counters: [RateCounter], at milliseconds: Int) {
        open = counters
        self.milliseconds = milliseconds
    }

    /// Whether a limit has not counted the request yet.
    var isOpen: Bool { !open.isEmpty }

    /// Takes the request from the limits of addresses and of everybody, before anything costs time. Throws 429.
    mutating func admit(address: String?) throws(APIError) {
        self.address = address
        for counter in open {
            switch counter.limit.partition {
            case .address: if let address { try take(counter, address) }
            case .everyone: try take(counter, "")
            case .account, .tenant: break
            }
        }
        open.removeAll { [.address, .everyone].contains($0.limit.partition) }
    }

    /// Takes it from the limits of accounts, before anybody looks for its tenant. Throws 429.
    mutating func admit(account user: User) throws(APIError) {
        guard isOpen, let account = account(user) else { return }
        for counter in open where counter.limit.partition == .account { try take(counter, account) }
        open.removeAll { $0.limit.partition == .account }
    }

    private func account(_ user: User?) -> String? {
        user.flatMap { $0.isPerson ? "u:" + $0.id : nil } ?? address.map { "a:" + $0 }
    }

    /// Takes it from the other limits, once the caller is known or nobody asks for one. Throws 429.
    mutating func admit(_ user: User?, _ tenant: TenantID?) throws(APIError) {
        guard isOpen else { return }
        let account = account(user)
        for counter in open {
            let client =
                counter.limit.partition == .tenant ? tenant.map { "t:" + $0.rawValue } ?? account : account
            if let client { try take(counter, client) }
        }
        open = []
    }

    private mutating func take(_ counter: RateCounter, _ client: String) throws(APIError) {
        let verdict = counter.take(client, at: milliseconds)
        guard !verdict.isTaken else {
            counts.append((counter, client, verdict))
            return
        }
        // Nothing will be done, so it counts for nothing.
        open = []
        for index in counts.indices {
            counts[index].counter.giveBack(counts[index].client)
            counts[index].verdict.remaining += 1
        }
        counts.append((counter, client, verdict))
        let seconds = (verdict.retryMilliseconds + 999) / 1000
        throw APIError(.tooManyRequests, "RATE_LIMITED", "Too many requests: try again in \(seconds) s")
            .adding(.retryAfter, String(seconds))
    }

    /// `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10): what is left, until when.
    func report(in response: inout Response) {
        guard !counts.isEmpty else { return }
        var policies = ""
        var limits = ""
        for (counter, _, verdict) in counts {
            if !limits.isEmpty {
                policies += ", "
                limits += ", "
            }
            policies += counter.policy
            limits += "\"\(counter.label)\";r=\(verdict.remaining);t=\((verdict.resetMilliseconds + 999) / 1000)"
        }
        response.headers.append("RateLimit-Policy", policies)
        response.headers.append("RateLimit", limits)
        response.expose("ratelimit, ratelimit-policy")
    }
}

extension Response {
    /// Lets scripts of other origins read these headers.
    fileprivate mutating func expose(_ fields: String) {
        exposedFields = exposedFields.map { "\($0), \(fields)" } ?? fields
    }
}
