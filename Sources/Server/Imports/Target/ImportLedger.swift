import SwiftletPostgres

/// What has been done of an import, in the database that it goes to.
enum ImportLedger {
    static let tables = """
        CREATE TABLE IF NOT EXISTS swiftlet.imports (
            only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
            source text NOT NULL,
            started_at timestamptz NOT NULL DEFAULT now(),
            finished_at timestamptz
        );
        CREATE TABLE IF NOT EXISTS swiftlet.import_steps (
            step text PRIMARY KEY,
            -- What was copied: the number of rows and the sum of their digests.
            detail text NOT NULL,
            done_at timestamptz NOT NULL DEFAULT now()
        );
        """

    /// A statement for the transaction that does the step.
    static func note(_ step: String, _ detail: String = "") -> String {
        """
        INSERT INTO swiftlet.import_steps (step, detail) VALUES (\(literal(step)), \(literal(detail)))
            ON CONFLICT (step) DO UPDATE SET detail = EXCLUDED.detail, done_at = pg_catalog.now();
        """
    }

    static func literal(_ text: String) -> String {
        text.contains("\\")
            ? "E'\(text.replacing("\\", with: "\\\\").replacing("'", with: "''"))'"
            : "'\(text.replacing("'", with: "''"))'"
    }
}
