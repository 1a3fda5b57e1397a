package import SwiftletPostgres

/// Why migrations cannot be read or applied. `description` names the file and says what to do.
package enum MigrationError: Error, Equatable, Sendable, CustomStringConvertible {
    case folderNotFound(searched: [String])
    case unreadable(file: String, reason: String)
    case badFileName(String)
    case badName(String)
    case badTableName(String)
    case empty(String)
    case chooseOwner([String])
    case duplicateNumber(String, String)
    case edited([String])
    case failed(file: String, line: Int?, BlockingConnectionError)
    /// The connection broke while the file ran or was committed.
    case unknown(file: String, BlockingConnectionError)
    case endsTransaction(file: String)
    /// Tables of apps that exist already and cannot be taken as they are.
    case clashes([String])
    /// See ``DatabaseFitness``.
    case unfit(String)
    case database(BlockingConnectionError)

    /// Whether trying again is useless, because the files or the settings of the database are at fault.
    package var isLasting: Bool {
        switch self {
        case .folderNotFound, .unreadable, .badFileName, .badName, .badTableName, .duplicateNumber, .edited,
            .endsTransaction,
            .unfit, .empty, .chooseOwner, .clashes:
            true
        case .failed, .unknown, .database: false
        }
    }

    package var description: String {
        switch self {
        case .folderNotFound(let searched):
            """
            No folder with migrations at \(searched.joined(separator: ", ")). Set MIGRATIONS_DIR to it, or APPS=none to \
            serve the platform alone.
            """
        case .unreadable(let file, let reason):
            "\(file) cannot be read or written: \(reason)"
        case .badFileName(let file):
            """
            \(file) is not named like a migration: four to \(MigrationFile.mostDigits) digits, not all of them 0, an \
            underscore, a name (0007_add_phone.sql).
            """
        case .badName(let name):
            "\"\(name)\" is not a valid name for a migration: use letters, digits and underscores, as in add_phone."
        case .badTableName(let name):
            "\"\(name)\" is not a valid name for a table: begin with a letter, and use 40 characters at most."
        case .empty(let file):
            "\(file) contains no statement: fill it in before it is applied, or remove it."
        case .chooseOwner(let owners):
            "Whose migration is it? Name one of \(owners.joined(separator: ", ")) with --owner."
        case .duplicateNumber(let first, let second):
            "\(first) and \(second) carry the same number. Give the newer one the next free number."
        case .edited(let names):
            """
            Applied already, and changed since: \(names.joined(separator: ", ")). \
            Restore what was applied and put the change into a new file: swiftlet migrate new NAME
            """
        case .failed(let file, let line, let error):
            "\(file)\(line.map { ":\($0)" } ?? ""): \(error). Nothing of this file was applied: correct it, and run swiftlet migrate again."
        case .unknown(let file, let error):
            """
            \(file): \(error). Whether it was applied is not known: see swiftlet migrate status. \
            To run swiftlet migrate again is safe.
            """
        case .endsTransaction(let file):
            """
            \(file) contains COMMIT or ROLLBACK, but each file is one transaction of its own. \
            Remove it and check by hand what was applied.
            """
        case .clashes(let clashes):
            """
            Nothing was applied, as the database has tables of other people: \(clashes.joined(separator: "; ")). \
            Rename them, give them the columns, or leave the app out: APPS=none serves the platform alone.
            """
        case .unfit(let fault):
            fault
        case .database(let error):
            "The database cannot be reached or used: \(error): \(Self.remedy(error))"
        }
    }

    private static func remedy(_ error: BlockingConnectionError) -> String {
        switch error.state {
        case "3D000": "make it with createdb, or correct its name in DATABASE_URL"
        case "42501": "let an administrator grant this user the right"
        case let state where state.hasPrefix("28"): "check the user and the password in DATABASE_URL, and pg_hba.conf"
        case let state where state.hasPrefix("08"):
            "check host and port in DATABASE_URL, and that PostgreSQL runs there"
        default: "swiftlet doctor looks further"
        }
    }
}
