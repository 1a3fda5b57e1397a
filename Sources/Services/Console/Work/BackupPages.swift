import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// The backups that there are, and how old the last good one is.
struct BackupPages: Sendable {
    let database: ConsoleDatabase
    let settings: ConsoleSettings

    func list(_ asked: ConsoleRequest) async throws -> Response {
        guard let backups = settings.backups else { return .json(["off": true]) }
        do {
            return .json(try await backups())
        } catch {
            throw ConsoleError(503, "BACKUPS", "The backups cannot be listed: \(error)")
        }
    }
}
