package import SwiftletAuth
package import SwiftletHTTP
package import SwiftletJSON
package import SwiftletPostgres
package import SwiftletWeb

/// What the console is told by the server that it is part of.
package struct ConsoleSettings: Sendable {
    /// `CONSOLE=read-only`: everybody is a viewer.
    package var isReadOnly = false
    /// Host names that are answered beside those of this machine, in lower case.
    package var hosts: [String] = []
    /// Cookies are marked `Secure`.
    package var isSecure = false
    package var version = "dev"
    /// A folder whose files are served in place of the binary's.
    package var assetsFolder: String?
    /// Statements that operators type run as a login role of their own.
    package var hasOwnRole = false
    package var clock = ServerClock.system
    /// Gives what signs tokens for the service and for users, which changes when the server's key does; nil if this
    /// server issues none.
    package var issuer: (@Sendable () -> TokenIssuer)?
    /// The `iss` of those tokens.
    package var issuerName = ""
    package var logs: LogRing?
    package var metrics: MetricsHistory?
    /// What clients can call: for the tester, which asks the routes of a table too.
    package var functions: [Function] = []
    /// The tables as the functions see them.
    package var schema: @Sendable () -> Schema = { .empty }
    /// Where "Keep as a check" writes to; nil where the server is not at somebody's desk.
    package var checksFile: String?
    /// How large an uploaded file may be, in bytes.
    package var maximumFileBytes = 50 << 20
    /// Sends a message to a device; nil where nobody delivers any.
    package var sendPush: (@Sendable (PushTrial) async -> (isAccepted: Bool, answer: String))?
    /// The backups that there are; nil where none are made.
    package var backups: (@Sendable () async throws -> JSONValue)?
    /// Answers a request within this process.
    package var call: @Sendable (Request) async -> Response = { _ in Response(status: .serviceUnavailable) }
    /// The settings: what is set, with secrets masked, and what counts otherwise.
    package var configuration: [(name: String, value: String?, standard: String?)] = []
    /// Called when jobs were made due.
    package var announceWork: @Sendable () -> Void = {}
    /// The findings of `doctor`: grade, subject, text.
    package var examine: @Sendable () async -> [(grade: String, subject: String, text: String)] = { [] }
    /// The keys that the banner shows; empty where they stay secret.
    package var facts: JSONObject = [:]

    package init() {}
}

/// A message to one device, to see whether keys and token fit together.
package struct PushTrial: Sendable {
    package let token: String
    /// `ios` or `android`.
    package let platform: String
    /// `production` or `sandbox`.
    package let environment: String
    /// The app's bundle id or package name; empty if unknown.
    package let app: String
    package let title: String
    package let body: String
}
