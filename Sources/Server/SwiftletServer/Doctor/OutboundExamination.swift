import SwiftletAuth
import SwiftletEventLoop
import SwiftletOutbound
import SwiftletRealtime
import SwiftletSignIn

/// Contacts the servers that the running server contacts: for public keys and for mail.
struct OutboundExamination: Sendable {
    private let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    func findings() async -> [Finding] {
        var findings: [Finding] = []
        do {
            findings += try await publicKeys()
        } catch {
            findings.append(.fault("event loop", "\(error)"))
        }
        findings.append(await mail())
        if let address = configuration.realtime?.bus { findings.append(await BusExamination(address).finding()) }
        if case .real(let services) = configuration.push.service {
            findings.append(.good("push", "keys are readable: \(services)"))
        }
        return findings
    }

    private func publicKeys() async throws -> [Finding] {
        let group = try EventLoopGroup.start(count: 1)
        let http = HTTPEngine(group.loops, .services(trust: configuration.trust))
        var findings: [Finding] = []
        for (owner, place) in configuration.tokens.keyPlaces {
            findings.append(await keys(PublishedKeys(place, http), of: owner.setting))
        }
        for provider in configuration.identity.providers(http) where !provider.audiences.isEmpty {
            findings.append(await keys(provider.keys, of: provider.name))
        }
        await http.shutdown()
        group.stop()
        return findings
    }

    private func keys(_ keys: PublishedKeys, of name: String) async -> Finding {
        do {
            let set = try await keys.read()
            return .good("public keys", "\(name): \(set.keys.count) usable, \(set.ignored.count) ignored")
        } catch {
            return .fault("public keys", "\(name): \(error)")
        }
    }

    private func mail() async -> Finding {
        switch configuration.mail?.transport {
        case nil: return .note("mail", "none is sent, see MAILER: new addresses count without confirmation")
        case .log: return .note("mail", "goes into the log, codes included: for development only")
        case .webhook: return .good("mail", "is posted to MAIL_WEBHOOK_URL")
        case .hook: return .good("mail", "is handed to HOOK_SEND_EMAIL_URI")
        case .smtp(let client, _):
            let place = "\(client.host):\(client.port)"
            do {
                try await blocking { try client.probe() }
                return .good("mail", "by \(place)")
            } catch {
                return .fault("mail", "\(place): \(error): check SMTP_URL, or SMTP_HOST and its like")
            }
        }
    }
}
