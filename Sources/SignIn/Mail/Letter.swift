/// A mail to be sent: its purpose, recipient and one-time token. ``Mail`` is its text.
struct Letter: Sendable {
    let purpose: MailPurpose
    let recipient: MailAddress
    let token: OneTimeToken
    let userID: String
    /// Where the link redirects to, already checked by ``RedirectRules``; nil means `SITE_URL`.
    var redirect: String?

    init(
        _ purpose: MailPurpose,
        to recipient: MailAddress,
        _ token: OneTimeToken,
        userID: String,
        redirect: String? = nil
    ) {
        self.purpose = purpose
        self.recipient = recipient
        self.token = token
        self.userID = userID
        self.redirect = redirect
    }
}
