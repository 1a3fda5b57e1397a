import SwiftletAuth
import Logging
import SwiftletWeb

/// Performs one attempt of a job, in the scope of whoever has enqueued it.
struct JobRunner: Sendable {
    let registry: JobRegistry
    let makeContext: @Sendable (BackgroundWork) -> Context
    let isStopping: @Sendable () -> Bool

    func run(_ job: ClaimedJob) async -> JobOutcome {
        guard let declared = registry[job.name] else { return .returned }
        do {
            return try await perform(job, declared)
        } catch {
            if Task.isCancelled, isStopping() { return .returned }
            return JobOutcome(error, of: job, declared.policy, jitter: Double.random(in: 0...1))
        }
    }

    private func perform(_ job: ClaimedJob, _ declared: DeclaredJob) async throws -> JobOutcome {
        var work = BackgroundWork(name: job.name, requestID: job.requestID ?? "job-\(job.claim.id)")
        work.user = try job.caller.user()
        work.tenant = job.caller.tenant.flatMap { TenantID(rawValue: $0) }
        work.isAcrossTenants = declared.isAcrossTenants
        work.isLastAttempt = job.attempt >= declared.policy.attempts
        let claim = job.claim
        let isInTransaction = declared.isInTransaction
        work.beforeCommit = { transaction in
            let sql = isInTransaction ? JobStatements.completeInTransaction(claim) : JobStatements.hold(claim)
            guard try await !transaction.query(sql).isEmpty else { throw JobError.leaseLost }
        }
        let context = makeContext(work)
        var isFailed = true
        defer { context.endTrace("job \(job.name)", isFailed: isFailed) }
        guard isInTransaction else {
            try await declared.perform(job.payload, context)
            isFailed = false
            return .done
        }
        try await context.transaction { try await declared.perform(job.payload, $0) }
        isFailed = false
        return .settled
    }
}
