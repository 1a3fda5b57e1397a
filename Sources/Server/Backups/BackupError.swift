/// Why a backup was not made, is not whole, or cannot be restored. For operators; holds no secret.
package enum BackupError: Error, Equatable, Sendable {
    /// Another backup, or a removal of old ones, runs on this database.
    case busy
    case noSuchBackup(String)
    case noBackups(String)
    /// The text names the part, and what is wrong with it.
    case damaged(String)
    case programMissing(name: String, major: Int, found: String?)
    case programFailed(name: String, status: Int, output: String)
    case databaseNotEmpty(String)
    /// A file that is there already has other content than the backup's.
    case fileDiffers(String)
    case refused(String)
}

extension BackupError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .busy: "another backup of this database is being made, or old ones are being removed: try again later"
        case .noSuchBackup(let name): "there is no whole backup \(name): see swiftlet backup list"
        case .noBackups(let place): "there is no whole backup in \(place)"
        case .damaged(let fault): "the backup is damaged: \(fault)"
        case .programMissing(let name, let major, let found):
            "\(name) of PostgreSQL \(major) or newer is missing"
                + (found.map { " (there is \($0))" } ?? "")
                + ": install postgresql-client-\(major), here and where the server runs"
        case .programFailed(let name, let status, let output):
            "\(name) has ended with status \(status): \(output.isEmpty ? "it does not say why" : output)"
        case .databaseNotEmpty(let tables):
            "the database is not empty (\(tables)): restore into a new one, CREATE DATABASE …"
        case .fileDiffers(let key):
            "the file \(key) is there already with other content, and stays: restore to an empty place"
        case .refused(let reason): reason
        }
    }
}
