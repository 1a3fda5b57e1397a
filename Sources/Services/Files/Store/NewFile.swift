import SwiftletPostgres

/// A stored file whose row is being made.
struct NewFile {
    private let file: StoredFile
    private let files: FileStore

    init(_ file: StoredFile, _ files: FileStore) {
        self.file = file
        self.files = files
    }

    /// Removes the file if `makeRow` throws, unless nobody knows whether there is a row: then it stays, and the sweep finds
    /// it if there is none.
    func keptIfCommitted<Value>(_ makeRow: () async throws -> Value) async throws -> Value {
        do {
            return try await makeRow()
        } catch {
            if !Self.mayHaveCommitted(error) { try? await files.delete(file.version) }
            throw error
        }
    }

    private static func mayHaveCommitted(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return false }
        return [.connectionLostAfterSending, .timeout, .cancelled].contains(error.kind)
    }
}
