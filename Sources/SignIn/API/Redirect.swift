import HTTP

extension AuthAPI {
    /// Where the link in a mail redirects to, as requested by the client and if allowed; nil means `SITE_URL`.
    func redirect(_ request: Request) -> String? {
        guard let wanted = request.query["redirect_to"] ?? request.header("redirect_to"), !wanted.isEmpty else {
            return nil
        }
        return RedirectRules(settings).allows(wanted) ? wanted : nil
    }
}
