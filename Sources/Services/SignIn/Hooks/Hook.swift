package import SwiftletAuth

/// Where an operator's own code decides: a function of the database, or a service that is asked over HTTP.
package enum Hook: Sendable {
    /// `pg-functions://postgres/<schema>/<name>`: a function with one argument, `json` or `jsonb`, that returns the
    /// like.
    case function(schema: String, name: String)
    /// Signed with each of the keys, so that a key can be replaced.
    case service(url: String, keys: [HMACKey])

    /// The points where hooks are asked, with the names in their payloads.
    package enum Point: String, Sendable, CaseIterable {
        case customAccessToken = "custom-access-token"
        case beforeUserCreated = "before-user-created"
        case passwordVerificationAttempt = "password-verification-attempt"
        case factorVerificationAttempt = "mfa-verification-attempt"
        case sendSMS = "send-sms"
        case sendEmail = "send-email"
    }

    /// A function by its URI; nil for another URI.
    package init?(functionURI uri: String) {
        guard
            let match = uri.wholeMatch(
                of: #/pg-functions://[^/]*/([A-Za-z_][A-Za-z0-9_]{0,62})/([A-Za-z_][A-Za-z0-9_]{0,62})/#
            )
        else { return nil }
        self = .function(schema: String(match.1), name: String(match.2))
    }
}
