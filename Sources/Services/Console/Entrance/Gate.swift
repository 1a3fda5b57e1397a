import SwiftletHTTP
import SwiftletWeb

/// Lets in who comes from the console's own page and has a session.
///
/// `SameSite` is not enough: a site has no port, so a page on another port of this machine would be let in.
struct Gate: Sendable {
    let sessions: Sessions
    let settings: ConsoleSettings

    static let cookie = "swiftlet_console"

    /// Refuses hosts that are not ours, as names that lead to this machine may be others' (DNS rebinding).
    func checkHost(_ request: Request) throws(ConsoleError) {
        guard let name = Self.name(ofHost: request.header(.host) ?? "") else { throw Self.wrongHost }
        let isLocal = ["localhost", "127.0.0.1", "[::1]"].contains(name) || name.hasSuffix(".localhost")
        guard isLocal || settings.hosts.contains(name) else { throw Self.wrongHost }
    }

    /// Refuses what other pages have sent.
    func checkOrigin(_ request: Request) throws(ConsoleError) {
        try checkHost(request)
        guard request.header("X-Console") != nil else { throw Self.foreign }
        let site = request.header("Sec-Fetch-Site")
        if let site, site != "same-origin" { throw Self.foreign }
        let origin = request.header(.origin)
        if let origin {
            let authority = origin.split(separator: "/", omittingEmptySubsequences: true).last.map { $0.lowercased() }
            guard authority == request.header(.host)?.lowercased() else { throw Self.foreign }
        }
        let isRead = request.method == .get || request.method == .head
        guard isRead || site != nil || origin != nil else { throw Self.foreign }
    }

    func visitor(_ request: Request) async throws -> Operator {
        let isByItself = request.header("X-Console") == "tick"
        guard let token = Self.token(request),
            let visitor = try await sessions.find(token, isByItself: isByItself)
        else {
            throw ConsoleError(401, "SIGNED_OUT", "You are not signed in.")
        }
        return settings.isReadOnly
            ? Operator(session: visitor.session, name: visitor.name, role: .viewer) : visitor
    }

    func origin(of request: Request) -> Sessions.Origin {
        Sessions.Origin(address: request.remoteAddress, agent: request.header(.userAgent))
    }

    func setCookie(_ token: String?, on response: inout Response) {
        let secure = settings.isSecure ? "; Secure" : ""
        let age = token == nil ? "; Max-Age=0" : ""
        response.headers.append(
            "Set-Cookie",
            "\(Self.cookie)=\(token ?? "")\(age); Path=/console; HttpOnly; SameSite=Strict\(secure)"
        )
    }

    private static func token(_ request: Request) -> String? {
        guard let header = request.combinedHeader("Cookie") else { return nil }
        for pair in header.split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            if parts.count == 2, parts[0] == cookie, parts[1].utf8.count <= 128 { return parts[1] }
        }
        return nil
    }

    private static func name(ofHost host: String) -> String? {
        let host = host.lowercased()
        if host.hasPrefix("[") { return host.firstIndex(of: "]").map { String(host[...$0]) } }
        return host.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init)
    }

    private static let wrongHost = ConsoleError(
        421,
        "WRONG_HOST",
        "The console does not answer under this host name. Name it in CONSOLE_HOSTS."
    )
    private static let foreign = ConsoleError(403, "FOREIGN", "The console answers its own page only.")
}
