import SwiftletJSON
import SwiftletPostgres
import Synchronization

/// `POST /batch`: up to a hundred calls in one request, as its caller.
final class Batch: Sendable {
    static let name = "batch"

    private struct Weak {
        weak var application: Application?
    }

    /// Its functions include this one.
    private let owner = Mutex(Weak())

    func serve(_ application: Application) { owner.withLock { $0.application = application } }

    var function: Function {
        Function("batch") {
            Post("/") { request, context in try await self.answer(request, context) }.anyKey()
        }
        .keepingDates().unlisted()
    }

    private func answer(_ request: Request, _ context: Context) async throws -> Response {
        guard let application = owner.withLock(\.application) else { throw APIError.internal }
        let body = try BatchBody(try request.jsonObject())
        try application.check(body)
        guard body.isTransaction else {
            guard !context.isInTransaction else {
                throw APIError.validation(["transaction": "must be true for a batch with an Idempotency-Key"])
            }
            var run = BatchRun(request, application)
            for call in body.calls {
                try Task.checkCancellation()
                _ = try await run.make(call, nil)
            }
            return run.response(nil, context.requestID)
        }
        let user = try context.user
        guard user.isPerson else { throw APIError.nobody }
        do {
            // The calls may take their time, and the connection is held until they end.
            let scope = "\((try? context.tenant)?.rawValue ?? "")\n\(user.id)"
            return try await context.transaction(of: Guest(scope).asking(mayTakeLong: true)) { context in
                var run = BatchRun(request, application)
                for call in body.calls {
                    let status = try await run.make(call, context)
                    guard status.rawValue < 400 else { throw UndoneBatch(run: run, call: call.id, status: status) }
                }
                return run.response(nil, context.requestID)
            }
        } catch let undone as UndoneBatch {
            let text = "Everything was undone: \(undone.call) was answered with \(undone.status.rawValue)"
            return undone.run.response(APIError(undone.status, "BATCH_UNDONE", text), context.requestID)
        }
    }
}

/// Undoes the transaction of a batch.
private struct UndoneBatch: Error {
    let run: BatchRun
    let call: String
    let status: Status
}
