import SwiftletAuth
import SwiftletJSON
import SwiftletOutbound

/// Posts a mail to another service, with the payload of Supabase's "send email" hook plus our own texts.
///
/// The body is `{"user":{"id","email"},"email_data":{"token","token_hash","redirect_to","email_action_type","site_url",
/// "token_new","token_hash_new"},"mail":{"to","subject","text","html","link"}}`. Any 2xx means success; 408,
/// 429 and 5xx are retried.
///
/// Signed according to Standard Webhooks: `webhook-signature` is `v1,` and the Base64 HMAC-SHA256 of `webhook-id`,
/// `webhook-timestamp` (seconds since 1970) and the body, joined by dots. Receivers should verify it, refuse timestamps
/// that are more than five minutes off, and send no second mail for an id that they have seen before: an attempt whose
/// answer was lost is repeated with it.
struct MailWebhook: Sendable {
    private let url: String
    private let key: HMACKey
    private let http: HTTPEngine

    private static let timeout = Duration.seconds(15)
    private static let maximumAnswerBytes = 65_536

    /// See ``HMACKey/init(webhook:)`` for the secret.
    init(url: String, secret: Secret, _ http: HTTPEngine) throws(KeyError) {
        self.url = url
        key = try HMACKey(webhook: secret)
        self.http = http
    }

    func send(
        _ mail: Mail,
        _ message: EmailMessage,
        _ settings: MailSettings,
        at seconds: Int
    ) async throws(OutboundError) {
        let user: JSONObject = ["id": .string(message.userID)]
        let body = Array(JSONValue.object(Self.payload(mail, message, settings, user: user)).description.utf8)
        let id = "msg_" + message.id
        guard let signature = try? WebhookSignature.headers(id: id, seconds: seconds, body: body, [key]) else {
            throw .unavailable
        }
        var request = HTTPRequest("POST", url, body: body)
        request.headers = [("Content-Type", "application/json")] + signature
        request.timeout = Self.timeout
        request.maximumBodyBytes = Self.maximumAnswerBytes
        request.isRepeatable = true
        let status: Int
        do throws(HTTPFailure) {
            status = try await http.send(request).status
        } catch {
            throw OutboundError(error)
        }
        guard (200..<300).contains(status) else {
            let isTemporary = status >= 500 || status == 408 || status == 429
            throw OutboundError("the webhook answers \(status)", isTemporary: isTemporary)
        }
    }

    /// What is told of a mail. The `email` of the `user` is the recipient.
    static func payload(
        _ mail: Mail,
        _ message: EmailMessage,
        _ settings: MailSettings,
        user: JSONObject
    ) -> JSONObject {
        let redirect = message.redirect ?? settings.siteURL ?? ""
        var user = user
        user["email"] = .string(message.recipient.rawValue)
        return [
            "user": .object(user),
            "email_data": [
                "token": .string(message.token?.code ?? ""), "token_hash": .string(message.token?.link ?? ""),
                "redirect_to": .string(redirect), "email_action_type": .string(message.type),
                "site_url": .string(settings.externalURL ?? settings.siteURL ?? ""), "token_new": "",
                "token_hash_new": "",
            ],
            "mail": [
                "to": .string(message.recipient.rawValue), "subject": .string(mail.subject),
                "text": .string(mail.text), "html": .string(mail.html),
                "link": Mail.link(message, settings).map(JSONValue.string) ?? .null,
            ],
        ]
    }
}

extension OutboundError {
    fileprivate init(_ failure: HTTPFailure) {
        self =
            switch failure {
            case .unknownHost: .unknownHost
            case .noConnection: .noConnection
            case .noTLS: .noTLS
            case .timedOut: .timeout
            default: OutboundError("\(failure)", isTemporary: failure.isTemporary || failure == .cancelled)
            }
    }
}
