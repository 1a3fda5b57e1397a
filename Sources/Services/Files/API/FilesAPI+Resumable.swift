import SwiftletHTTP
import SwiftletWeb

/// Resumable uploads, by TUS 1.0.0. Unlike elsewhere, errors have their real status, and are plain text.
extension FilesAPI {
    private static let version = "1.0.0"
    private static let extensions = "creation,creation-with-upload,expiration,termination"
    private static let exposedFields =
        "Location, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Upload-Offset, Upload-Length, "
        + "Upload-Metadata, Upload-Expires"

    @FunctionBuilder var resumableRoutes: [FunctionPart] {
        resumableRoutes("/v1/upload/resumable", isSigned: false)
        resumableRoutes("/v1/upload/resumable/sign", isSigned: true)
    }

    private func resumableRoutes(_ path: RoutePath, isSigned: Bool) -> [Route] {
        let limit = settings.maximumResumableBytes
        let one = path.appending("/:upload")
        return [
            Route(.options, path) { _, _ in description },
            Route(.options, one) { _, _ in description },
            Route(.post, path) { request, context in
                try await answer(request, context) {
                    try await create(action(request, context, "create", isSigned), request)
                }
            }.streamingBody(upTo: limit),
            Route(.head, one) { request, context in
                try await answer(request, context) {
                    try await inspect(action(request, context, "part", isSigned), context.parameters["upload"])
                }
            },
            Route(.patch, one) { request, context in
                try await answer(request, context) {
                    let (upload, offset) = try await action(request, context, "part", isSigned)
                        .patch(context.parameters["upload"])
                    return Self.response(.noContent, upload, offset)
                }
            }.streamingBody(upTo: limit),
            Route(.delete, one) { request, context in
                try await answer(request, context) {
                    try await action(request, context, "delete", isSigned).terminate(context.parameters["upload"])
                    return Response(status: .noContent)
                }
            },
        ]
    }

    private func create(_ action: ResumableAction, _ request: Request) async throws -> Response {
        let (upload, offset) = try await action.create()
        var response = Self.response(.created, upload, offset)
        // Relative to where the client has sent it, whatever proxies are in between.
        let folder = request.path.hasSuffix("/") ? "" : (request.path.split(separator: "/").last.map { "\($0)/" } ?? "")
        response.headers.append(.location, folder + upload.id)
        return response
    }

    private func inspect(_ action: ResumableAction, _ id: String) async throws -> Response {
        let (upload, offset) = try await action.inspect(id)
        var response = Self.response(.ok, upload, offset)
        response.headers.append("Upload-Length", "\(upload.length)")
        if !upload.metadata.isEmpty { response.headers.append("Upload-Metadata", upload.metadata) }
        return response
    }

    private var description: Response {
        var response = Response(status: .noContent)
        response.headers.append("Tus-Resumable", Self.version)
        response.headers.append("Tus-Version", Self.version)
        response.headers.append("Tus-Extension", Self.extensions)
        response.headers.append("Tus-Max-Size", "\(settings.maximumResumableBytes)")
        response.exposedFields = Self.exposedFields
        return response
    }

    private func action(
        _ request: Request,
        _ context: Context,
        _ verb: String,
        _ isSigned: Bool
    ) async throws -> ResumableAction {
        guard request.header("Tus-Resumable") == Self.version else {
            throw FilesError(412, "InvalidRequest", "Error", "Tus-Resumable must be \(Self.version)")
        }
        let call = try await call(request, context, "tus.upload.\(verb)", isSigned ? .none : .required)
        var action = ResumableAction(call: call, files: files, settings: settings)
        if isSigned { action.link = try FileLink(upload: request.header("x-signature"), linkKeys(), now: call.now) }
        return action
    }

    /// The response, or the error as clients of TUS read it.
    private func answer(
        _ request: Request,
        _ context: Context,
        _ respond: () async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await respond()
        } catch {
            let fault = try FilesErrorFormat.answer(error, request, context)
            let text = Self.message(fault) + (fault.hint.map { ": \($0)" } ?? "")
            response = Response(status: Status(rawValue: fault.statusCode), body: Array(text.utf8))
            response.headers.append(.contentType, "text/plain; charset=utf-8")
            if fault.statusCode == 412 { response.headers.append("Tus-Version", Self.version) }
        }
        response.headers.append("Tus-Resumable", Self.version)
        response.exposedFields = Self.exposedFields
        return response
    }

    /// In the words of Supabase, where they are others than elsewhere.
    private static func message(_ fault: FilesError) -> String {
        fault.code == FilesError.tooLarge.code ? "Maximum size exceeded\n" : fault.message
    }

    private static func response(_ status: Status, _ upload: ResumableUpload, _ offset: Int) -> Response {
        var response = Response(status: status)
        response.headers.append("Upload-Offset", "\(offset)")
        response.headers.append("Upload-Expires", HTTPDate(secondsSince1970: upload.expires).description)
        return response
    }
}
