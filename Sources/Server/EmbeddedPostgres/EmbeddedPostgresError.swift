/// Why a private cluster could not be created, started or stopped. `description` says what to do.
package enum EmbeddedPostgresError: Error, Equatable, Sendable, CustomStringConvertible {
    case binariesNotFound(searched: [String])
    case versionNotInstalled(wanted: String, folder: String)
    case noUnprivilegedUser
    case folderUnusable(folder: String, reason: String)
    case inUse(folder: String)
    case commandFailed(command: String, status: Int32, output: String)
    case startFailed(log: String, output: String)

    package var description: String {
        switch self {
        case .binariesNotFound(let searched):
            """
            PostgreSQL's server programs (initdb, pg_ctl, postgres) were not found in \(searched.joined(separator: ", ")). \
            Install them (Debian: apt-get install postgresql; macOS: brew install postgresql@16), \
            or set DATABASE_URL to a server that runs already.
            """
        case .versionNotInstalled(let wanted, let folder):
            """
            The data in \(folder) belongs to PostgreSQL \(wanted), which is not installed. \
            Install postgresql-\(wanted), or start afresh with: swiftlet dev --reset
            """
        case .noUnprivilegedUser:
            """
            PostgreSQL refuses to run as root, and neither of the users postgres and nobody exists, \
            or setpriv and runuser are missing. Run as an ordinary user, or install util-linux.
            """
        case .folderUnusable(let folder, let reason):
            "The folder \(folder) cannot hold a database: \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)."
        case .inUse(let folder):
            "Another process already runs the database in \(folder). Stop it first, or work in another folder."
        case .commandFailed(let command, let status, let output):
            "\(command) failed with status \(status): \(output)"
        case .startFailed(let log, let output):
            "PostgreSQL did not start. The end of \(log) says: \(output)"
        }
    }
}
