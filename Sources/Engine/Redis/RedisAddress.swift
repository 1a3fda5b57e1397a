package import SwiftletOutbound

/// Where a redis is, and as whom to speak to it.
package struct RedisAddress: Sendable {
    package let host: String
    package let port: Int
    package let isSecure: Bool
    package var trust: Trust = .system
    /// How long connecting may take.
    package var timeout: Duration = .seconds(10)
    /// How long the first answers may take.
    package var answerTimeout: Duration = .seconds(10)
    let login: Login?

    struct Login: Sendable, CustomReflectable {
        let user: String
        let password: String
        /// Dumps show neither.
        var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Without a user name, a password is that of the user `default`.
    package init(host: String, port: Int = 6379, isSecure: Bool = false, user: String? = nil, password: String? = nil) {
        self.host = host
        self.port = port
        self.isSecure = isSecure
        let name = user.flatMap { $0.isEmpty ? nil : $0 }
        login = password.map { Login(user: name ?? "default", password: $0) }
    }
}

extension RedisAddress: CustomStringConvertible {
    package var description: String { "\(isSecure ? "rediss" : "redis")://\(host):\(port)" }
}
