import SwiftletConsole
import SwiftletPostgres

/// A link that enters the console once, within five minutes. Whoever can make it has the database already.
enum ConsoleLink {
    static func make(at url: String, in database: String) throws -> String {
        let entry = try ConsoleEntry.make(role: .owner)
        let connection = try BlockingConnection.connect(to: database)
        _ = try connection.query(ConsoleEntry.insertion, entry.parameters)
        return "\(url)/console/#enter=\(entry.token)"
    }
}
