import SwiftletPostgres

extension Application {
    /// Throws 400 for calls that no batch, or no transaction, may have.
    func check(_ body: BatchBody) throws(APIError) {
        var faults: [String: String] = [:]
        for (index, call) in body.calls.enumerated() where body.isTransaction {
            if call.headers.contains(where: { $0.0.text.lowercased() == "idempotency-key" }) {
                faults["requests.\(index).headers"] = "the key of a transaction is the batch's"
            }
        }
        if !faults.isEmpty { throw .validation(faults) }
    }

    /// The answer to a call of a batch; it counts and is logged like a request of its own. Throws 400 for one that cannot be
    /// part of it, and what has to undo and repeat the transaction of `context`.
    func answerCall(_ request: Request, isFirst: Bool, in context: Context?) async throws -> Response {
        let (destination, parameters) = router.destination(for: request)
        try Self.admit(destination, isTransaction: context != nil)
        let schema = server.database.schema
        let state = observer.begin(
            request,
            destination.endpoint,
            parameters,
            server,
            startNanoseconds: server.clock.nanoseconds()
        )
        state.notePartOfBatch()
        var response: Response
        var admission = rates.begin(destination, isCounted: isFirst)
        do {
            response = try await handle(request, destination, state, &admission, in: context)
            if response.stream != nil || response.upgrade != nil {
                throw APIError.notInBatch("is no message as a whole")
            }
        } catch {
            response = failureResponse(error, state.id, request)
            if context != nil, let error = error as? PostgresError,
                error.meansStaleSchema || error.meansNewColumn(in: schema)
            {
                end(request, with: response)
                throw error
            }
        }
        admission?.report(in: &response)
        state.addNotes(to: &response)
        if destination.normalizesDates { response.normalizeDates() }
        response.headers.append(.xRequestID, state.id)
        end(request, with: response)
        return response
    }

    /// No batch within a batch, no answer that holds tokens, no body that is read as it arrives, and in a transaction none
    /// that has its own.
    private static func admit(_ destination: Destination, isTransaction: Bool) throws(APIError) {
        guard destination.endpoint.name != Batch.name else { throw .notInBatch("is a batch") }
        guard destination.isLimited, destination.keepsAnswers else { throw .notInBatch("must be made by itself") }
        if isTransaction, destination.access == .byHandler { throw .notInBatch("takes part in no transaction") }
    }
}

extension APIError {
    fileprivate static func notInBatch(_ reason: String) -> APIError {
        APIError(.badRequest, "NOT_IN_BATCH", "This call \(reason)")
    }
}
