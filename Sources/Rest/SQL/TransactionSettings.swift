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
    var headers: [UInt8]
    var cookies: [UInt8]
    var searchPath: String
    var roleSettings: [Catalogue.RoleSetting]
    var timeZone: String?
    var isReadOnly: Bool

    /// What the text of the statement depends on.
    struct Form: Hashable {
        let hasTimeZone: Bool
        let roleSettingCount: Int
        let isReadOnly: Bool
    }

    var form: Form {
        Form(hasTimeZone: timeZone != nil, roleSettingCount: roleSettings.count, isReadOnly: isReadOnly)
    }

    var parameters: Parameters {
        var parameters = Parameters(minimumCapacity: 256 + claims.count + headers.count)
        parameters.append(searchPath)
        parameters.append(role)
        parameters.append(utf8: claims.span)
        parameters.append(method)
        parameters.append(path)
        parameters.append(utf8: headers.span)
        parameters.append(utf8: cookies.span)
        if let timeZone { parameters.append(timeZone) }
        for setting in roleSettings {
            parameters.append(setting.name)
            parameters.append(setting.value)
        }
        return parameters
    }
}

extension TransactionSettings.Form {
    /// `SELECT set_config(…), …` in the order in which they must be made: the role's rights come first, so that its
    /// own settings are checked by them.
    var text: String {
        var names = [
            "search_path", "role", "request.jwt.claims", "request.method", "request.path", "request.headers",
            "request.cookies",
        ]
        if hasTimeZone { names.append("timezone") }
        var settings = names.enumerated().map { "set_config('\($0.element)', $\($0.offset + 1), true)" }
        for index in 0..<roleSettingCount {
            let number = names.count + 2 * index + 1
            settings.append("set_config($\(number), $\(number + 1), true)")
        }
        // A function may have set them for longer than its transaction, and they would go to the next caller.
        settings += ["response.headers", "response.status"].map { "set_config('\($0)', '', true)" }
        if isReadOnly { settings.append("set_config('transaction_read_only', 'on', true)") }
        return "SELECT " + settings.joined(separator: ", ")
    }
}
