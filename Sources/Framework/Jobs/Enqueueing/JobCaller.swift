import SwiftletAuth
import SwiftletWeb

/// For whom a job works: the user and the tenant of the request that has enqueued it.
struct JobCaller: Sendable {
    /// Within which a key is unique.
    let scope: String
    let tenant: String?
    /// The verified claims as JSON text.
    let claims: String?
    let roleLevel: Int?
    /// Whether another issuer vouches for the claims.
    let isExternal: Bool

    static let nobody = JobCaller(scope: "", tenant: nil, claims: nil, roleLevel: nil, isExternal: false)

    init(scope: String, tenant: String?, claims: String?, roleLevel: Int?, isExternal: Bool) {
        self.scope = scope
        self.tenant = tenant
        self.claims = claims
        self.roleLevel = roleLevel
        self.isExternal = isExternal
    }

    /// Throws ``JobError/noCaller(job:)`` if there is nobody whom the job could work for.
    init(of context: Context, for job: DeclaredJob) throws(JobError) {
        guard !job.isAcrossTenants else {
            self = .nobody
            return
        }
        guard let user = context.identity, user.isPerson else { throw .noCaller(job: job.name) }
        let tenant = try? context.tenant
        self.init(
            scope: tenant.map { "tenant:\($0.rawValue)" } ?? "user:\(user.id)",
            tenant: tenant?.rawValue,
            claims: String(decoding: user.payload, as: UTF8.self),
            roleLevel: tenant == nil ? nil : user.roleLevel,
            isExternal: user.isExternal
        )
    }

    /// The user as they were when they enqueued the job. Throws ``TokenError`` if the claims have been changed by hand.
    func user() throws(TokenError) -> User? {
        guard let claims else { return nil }
        let user = try User(payload: Array(claims.utf8), isExternal: isExternal)
        guard let tenant = tenant.flatMap({ TenantID(rawValue: $0) }) else { return user }
        return user.placed(in: tenant, roleLevel: roleLevel)
    }
}
