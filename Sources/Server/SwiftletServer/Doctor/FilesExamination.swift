import SwiftletPostgres
import SwiftletRest

/// Checks what `/storage/v1` needs of the database: its tables, and that the server itself reaches all of their rows.
struct FilesExamination: Sendable {
    private let rest: RestSettings?

    init(_ rest: RestSettings?) { self.rest = rest }

    func findings(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> [Finding] {
        let row =
            try connection.query(
                """
                SELECT count(*) = 3, coalesce(bool_and(pg_has_role(current_user, c.relowner, 'MEMBER')), false),
                    (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user), current_user
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = 'storage' AND c.relname IN ('buckets', 'objects', 'swiftlet_purge')
                """
            ).first ?? []
        guard row.count == 4, row[0] == "t" else {
            return [.fault("files", "the schema storage lacks tables: run swiftlet migrate")]
        }
        guard row[1] == "t" || row[2] == "t" else {
            let role = row[3] ?? "the server's role"
            return [
                .fault("files", "row policies of storage.objects bind the server itself: ALTER ROLE \(role) BYPASSRLS")
            ]
        }
        guard rest?.schemas.contains("storage") != true else {
            return [
                .note(
                    "files",
                    "REST_SCHEMAS exposes storage: who may change a row there can point it at another's file"
                )
            ]
        }
        return [.good("files", "buckets and objects have their tables")]
    }
}
