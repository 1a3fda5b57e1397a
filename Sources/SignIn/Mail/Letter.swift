/// What is to be told to somebody by mail.
package struct Letter: Sendable {
    package let purpose: MailPurpose
    package let recipient: MailAddress
    package let token: OneTimeToken
    package let userID: String
    /// Where the link leads in the end; it must have been checked against the list of allowed places. nil: `SITE_URL`.
    package var redirect: String?

    package init(
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
