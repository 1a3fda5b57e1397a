/// The server's address for clients on this machine: the loopback one where it listens on all interfaces.
struct LocalURL: CustomStringConvertible {
    let description: String

    init(host: String, port: String, isSecure: Bool) {
        let name =
            switch host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            default: host.contains(":") ? "[\(host)]" : host
            }
        description = "\(isSecure ? "https" : "http")://\(name):\(port)"
    }
}
