import SwiftletHTTP
package import SwiftletStorage
package import SwiftletWeb

/// `/storage/v1`: buckets and objects, as Supabase Storage serves them. Rows decide who may do what, and each request
/// is its caller's.
package struct FilesAPI: Sendable {
    let authentication: Authentication
    let settings: FilesSettings
    let files: FileStore
    /// nil where no images are rendered.
    let images: ImageRenderer?
    let statements = StatementCache()

    package init(authentication: Authentication, storage: ObjectStorage, settings: FilesSettings) {
        self.authentication = authentication
        self.settings = settings
        files = FileStore(storage: storage, supabase: settings.supabasePath.map { ForeignFolder(path: $0) })
        images = ImageRenderer(settings.images, files)
    }

    /// Handlers check their callers themselves, with errors of their own.
    package var function: Function {
        Function("storage") {
            bucketRoutes
            objectRoutes
            linkRoutes
            imageRoutes
            resumableRoutes
            otherRoutes
        }
        .with(FilesErrorFormat.middleware)
        .keepingDates()
        .checkedByHandlers()
        .unlisted()
    }

    enum Admission {
        /// Without a token nobody is served.
        case required
        /// Without a token, or with one that is not accepted, the caller is anonymous.
        case optional
        /// No token is looked at.
        case none
    }

    func call(
        _ request: Request,
        _ context: Context,
        _ operation: String,
        _ admission: Admission = .required
    ) async throws(FilesError) -> FilesCall {
        FilesCall(
            request: request,
            context: context,
            caller: try await caller(of: request, admission),
            operation: "storage.\(operation)",
            statements: statements,
            allowsUnicodeNames: settings.allowsUnicodeNames
        )
    }

    private func caller(of request: Request, _ admission: Admission) async throws(FilesError) -> DatabaseCaller {
        let anonymous = DatabaseCaller.anonymous(settings.anonymousRole, request)
        if admission == .none { return anonymous }
        if admission == .required, request.header(.authorization) == nil, request.header(.apikey) == nil {
            throw .badRequest("headers must have required property 'authorization'")
        }
        do throws(DatabaseCaller.Refusal) {
            return try await DatabaseCaller.identify(request, authentication, anonymousRole: settings.anonymousRole)
        } catch {
            if admission == .optional { return anonymous }
            switch error {
            case .missing: throw .badRequest("headers must have required property 'authorization'")
            case .token(.expired): throw .forbidden("\"exp\" claim timestamp check failed")
            case .token(.malformed): throw .forbidden("Invalid Compact JWS")
            case .token(let error): throw .forbidden("Invalid Compact JWS: \(error)")
            case .refused(let reason): throw .forbidden("Invalid Compact JWS: \(reason)")
            }
        }
    }

    func name(_ text: String) throws(FilesError) -> ObjectName {
        try ObjectName(text, allowsUnicode: settings.allowsUnicodeNames)
    }
}
