package import SwiftletPostgres

extension Job {
    /// The statement that stores a job which works for nobody, as ``acrossTenants()`` declares it, for code of the server
    /// that has no context. Call ``JobWorker/announce()`` after its commit. Throws ``JobError`` and `EncodingError`.
    package func insertion(_ payload: Payload) throws -> SQL {
        JobStatements.enqueue(
            name,
            try PayloadText.encode(payload),
            .nobody,
            requestID: nil,
            at: .now,
            key: nil,
            priority: .normal,
            replacing: false
        )
    }
}
