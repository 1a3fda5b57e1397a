import Auth
import Postgres

/// What a request's transaction runs under: role, claims, path, headers. All of it is local to the transaction.
struct TransactionSettings {
    var role: String
    /// The token's claims as JSON.
    var claims: [UInt8]
    var method: String
    var path: String
    /// JSON objects.
    var headers: String
    var cookies: String
    var searchPath: String
    var roleSettings: [Catalogue.RoleSetting]
    var timeZone: String?
    var isReadOnly: Bool

    /// `SELECT set_config(…), …` in the order in which they must be made: the role's rights come first, so that its
    /// own settings are checked by them.
    func statement() -> StatementText {
        var text = StatementText()
        text.add("SELECT set_config('search_path', ")
        text.bind(searchPath)
        text.add(", true), set_config('role', ")
        text.bind(role)
        text.add(", true), set_config('request.jwt.claims', ")
        text.bind(bytes: claims)
        text.add(", true), set_config('request.method', ")
        text.bind(method)
        text.add(", true), set_config('request.path', ")
        text.bind(path)
        text.add(", true), set_config('request.headers', ")
        text.bind(headers)
        text.add(", true), set_config('request.cookies', ")
        text.bind(cookies)
        text.add(", true)")
        if let timeZone { add("timezone", timeZone, to: &text) }
        for setting in roleSettings { add(setting.name, setting.value, to: &text) }
        // A function may have set them for longer than its transaction, and they would go to the next caller.
        text.add(", set_config('response.headers', '', true), set_config('response.status', '', true)")
        if isReadOnly { text.add(", set_config('transaction_read_only', 'on', true)") }
        return text
    }

    private func add(_ name: String, _ value: String, to text: inout StatementText) {
        text.add(", set_config(")
        text.bind(name)
        text.add(", ")
        text.bind(value)
        text.add(", true)")
    }
}
