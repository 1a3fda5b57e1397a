import SwiftletPostgres

extension BlockingConnection {
    /// From now on, this session is the role's, with the claims of a token.
    func become(_ role: String, _ claims: String) throws {
        try execute("RESET ROLE")
        try query("SELECT set_config('request.jwt.claims', $1, false)", [claims])
        try execute("SET ROLE \(role)")
    }

    /// Whether row policies or missing rights keep the session from running `text`.
    func refuses(_ text: String) throws -> Bool {
        do {
            try execute(text)
            return false
        } catch  where error.state == "42501" {
            return true
        }
    }

    func makeDevices(_ ids: [String]) throws {
        for id in ids {
            try execute("INSERT INTO auth.users (id, is_anonymous) VALUES ('\(id)', true)")
            try execute("INSERT INTO devices (id, secret_hash) VALUES ('\(id)', 'hash')")
        }
    }
}
