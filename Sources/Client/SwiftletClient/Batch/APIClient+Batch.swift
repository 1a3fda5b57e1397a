import Foundation

extension APIClient {
    /// Makes several calls in one request, in turn, as whoever is signed in.
    ///
    ///     let (answers, quote) = try await client.batch(inTransaction: true) { calls in
    ///         let customer = calls.add(.create("/api/customers", newCustomer))
    ///         return calls.add(APIEndpoint(.post, "/api/quotes", body: .json(["customer_id": customer["id"]])))
    ///     }
    ///     let made: Quote = try answers.value(of: quote)
    ///
    /// In a transaction all of them take effect, or none, and the first that is refused is thrown as the batch's error.
    /// Else each stands for itself. A transaction whose answer is lost is repeated by its key; other batches only if each of
    /// their calls may be made twice.
    @concurrent
    public func batch<Calls: Sendable>(
        inTransaction isTransaction: Bool = false,
        _ build: @Sendable (inout BatchCalls) throws -> Calls
    ) async throws -> (answers: BatchAnswers, calls: Calls) {
        var calls = BatchCalls()
        let result = try build(&calls)
        return (try await batch(calls, inTransaction: isTransaction), result)
    }

    /// Makes calls in one request whose answers do not depend on each other.
    @concurrent
    public func batch(
        _ endpoints: [APIEndpoint],
        inTransaction isTransaction: Bool = false
    ) async throws -> BatchAnswers {
        var calls = BatchCalls()
        for endpoint in endpoints { calls.add(endpoint) }
        return try await batch(calls, inTransaction: isTransaction)
    }

    private func batch(_ calls: BatchCalls, inTransaction isTransaction: Bool) async throws -> BatchAnswers {
        let body = try calls.body(isTransaction: isTransaction)
        let isRepeatable = calls.endpoints.allSatisfy(\.isSafeInBatch)
        let endpoint = APIEndpoint(
            .post,
            "/api/batch",
            body: .data(body, contentType: "application/json"),
            repetition: isTransaction ? .keyed : isRepeatable ? .safe : .never
        )
        return try BatchAnswers(try await requestData(endpoint), url: configuration.url(of: endpoint))
    }
}

extension APIEndpoint {
    /// What has a key could be answered with that it is still under way, of which the batch itself tells nothing.
    fileprivate var isSafeInBatch: Bool {
        if case .safe = repetition { return true }
        return false
    }
}
