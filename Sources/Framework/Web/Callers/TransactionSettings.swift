import SwiftletPostgres

/// What a request's transaction runs under: role, claims, path, headers. All of it is local to the transaction.
package struct TransactionSettings {
    package var role: String
    /// The token's claims as JSON.
    package var claims: [UInt8]
    package var method: String
    package var path: String
    /// JSON objects.
    package var headers: [UInt8]
    package var cookies: [UInt8]
    package var searchPath: String
    /// Those that the role has by `ALTER ROLE … SET`, and what the service itself tells its policies.
    package var others: [RoleSetting]
    package var timeZone: String?
    package var isReadOnly: Bool

    package init(
        _ caller: DatabaseCaller,
        method: String,
        path: String,
        headers: [UInt8],
        cookies: [UInt8],
        searchPath: String,
        others: [RoleSetting],
        timeZone: String? = nil,
        isReadOnly: Bool
    ) {
        role = caller.role
        claims = caller.claims
        self.method = method
        self.path = path
        self.headers = headers
        self.cookies = cookies
        self.searchPath = searchPath
        self.others = others
        self.timeZone = timeZone
        self.isReadOnly = isReadOnly
    }

    /// What the text of the statement depends on.
    struct Form: Hashable {
        let hasTimeZone: Bool
        let otherCount: Int
        let isReadOnly: Bool
    }

    var form: Form {
        Form(hasTimeZone: timeZone != nil, otherCount: others.count, isReadOnly: isReadOnly)
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
        for setting in others {
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
        for index in 0..<otherCount {
            let number = names.count + 2 * index + 1
            settings.append("set_config($\(number), $\(number + 1), true)")
        }
        // A function may have set them for longer than its transaction, and they would go to the next caller.
        settings += ["response.headers", "response.status"].map { "set_config('\($0)', '', true)" }
        if isReadOnly { settings.append("set_config('transaction_read_only', 'on', true)") }
        return "SELECT " + settings.joined(separator: ", ")
    }
}
