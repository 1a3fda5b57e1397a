/// `scheme://host[:port][/path]`; a host may be an IPv6 address in brackets.
struct WebAddress: Equatable, Sendable {
    let isSecure: Bool
    /// Without brackets.
    let host: String
    let port: Int
    /// With the query, never empty.
    let path: String
    /// The value of the Host field.
    let authority: String

    init?(_ url: String) {
        guard let scheme = ["https://", "http://"].first(where: { url.hasPrefix($0) }) else { return nil }
        // Neither blanks nor control bytes may get into the request.
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let rest = url.dropFirst(scheme.count)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let authority = rest[..<end]
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        let path = rest[end...].prefix { $0 != "#" }
        self.path = path.hasPrefix("/") ? String(path) : "/" + path
        self.authority = String(authority)
        isSecure = scheme == "https://"
        let defaultPort = isSecure ? 443 : 80
        let hostEnd = authority.first == "[" ? authority.firstIndex(of: "]") : nil
        let portStart = authority[(hostEnd ?? authority.startIndex)...].firstIndex(of: ":")
        let name = authority[..<(portStart ?? authority.endIndex)]
        host = String(hostEnd == nil ? name : name.dropFirst().dropLast())
        guard let portStart else {
            port = defaultPort
            return
        }
        guard let number = Int(authority[authority.index(after: portStart)...]), (1...65535).contains(number) else {
            return nil
        }
        port = number
    }
}
