import SwiftletHTTP
import SwiftletWeb

extension FilesAPI {
    @FunctionBuilder var objectRoutes: [FunctionPart] {
        Post("/v1/object/:bucket/*") { try await upload($0, $1, isUpdate: false) }.streamingBody(upTo: bodyLimit)
        Put("/v1/object/:bucket/*") { try await upload($0, $1, isUpdate: true) }.streamingBody(upTo: bodyLimit)
        Post("/v1/object/:bucket", refuseNameless)
        Put("/v1/object/:bucket", refuseNameless)
        Get("/v1/object/:bucket/*") { try await download($0, $1, .optional) }
        Get("/v1/object/authenticated/:bucket/*") { try await download($0, $1, .required) }
        Get("/v1/object/public/:bucket/*") { try await download($0, $1, .none) }
        Get("/v1/object/info/:bucket/*") { try await info($0, $1, .optional) }
        Get("/v1/object/info/authenticated/:bucket/*") { try await info($0, $1, .required) }
        Get("/v1/object/info/public/:bucket/*") { try await info($0, $1, .none) }
        Delete("/v1/object/:bucket/*") { try await deletion($0, $1, "delete").one(try name($1.parameters.rest)) }
        Delete("/v1/object/:bucket") { try await deletion($0, $1, "delete_many").many() }
        Post("/v1/object/move", move)
        Post("/v1/object/copy", copy)
        Post("/v1/object/list/:bucket", list)
        Post("/v1/object/list-v2/:bucket", listPage)
    }

    /// A form has a little more than its file.
    var bodyLimit: Int {
        let limit = files.maximumBytes.addingReportingOverflow(2 << 20)
        return limit.overflow ? .max : limit.partialValue
    }

    private func upload(_ request: Request, _ context: Context, isUpdate: Bool) async throws -> Response {
        let writer = ObjectWriter(
            call: try await call(request, context, isUpdate ? "object.upload_update" : "object.upload"),
            bucket: context.parameters["bucket"],
            name: try name(context.parameters.rest),
            isUpsert: isUpdate || request.header("x-upsert") == "true"
        )
        let id = try await UploadAction(writer: writer, files: files).run()
        return .json(["Id": .string(id), "Key": .string("\(writer.bucket)/\(writer.name.text)")])
    }

    /// A bucket alone is no name.
    @Sendable private func refuseNameless(_ request: Request, _ context: Context) async throws -> Response {
        _ = try await call(request, context, "object.upload")
        throw FilesError.badKey("")
    }

    private func download(_ request: Request, _ context: Context, _ admission: Admission) async throws -> Response {
        let row = try await find(request, context, "object.get_authenticated", admission)
        return try await ObjectResponse(row: row, request: request, files: files).response()
    }

    private func info(_ request: Request, _ context: Context, _ admission: Admission) async throws -> Response {
        let row = try await find(request, context, "object.get_authenticated_info", admission)
        guard request.method == .head else { return row.info }
        return try await ObjectResponse(row: row, request: request, files: files).response()
    }

    private func find(
        _ request: Request,
        _ context: Context,
        _ operation: String,
        _ admission: Admission
    ) async throws -> ObjectRow {
        let lookup = ObjectLookup(
            call: try await call(request, context, operation, admission),
            bucket: context.parameters["bucket"],
            name: try name(context.parameters.rest)
        )
        return try await admission == .none ? lookup.asPublic() : lookup.asCaller()
    }

    private func deletion(_ request: Request, _ context: Context, _ verb: String) async throws -> DeleteAction {
        DeleteAction(call: try await call(request, context, "object.\(verb)"), bucket: context.parameters["bucket"])
    }

    @Sendable private func move(_ request: Request, _ context: Context) async throws -> Response {
        let call = try await call(request, context, "object.move")
        let move = try Relocation(request.fields(), call)
        return try await MoveAction(call: call).run(move)
    }

    @Sendable private func copy(_ request: Request, _ context: Context) async throws -> Response {
        let call = try await call(request, context, "object.copy")
        let fields = try request.fields()
        let copy = try Relocation(fields, call)
        return try await CopyAction(call: call, files: files).run(copy, fields)
    }

    @Sendable private func list(_ request: Request, _ context: Context) async throws -> Response {
        let call = try await call(request, context, "object.list")
        return try await ListAction(call: call, bucket: context.parameters["bucket"]).run()
    }

    @Sendable private func listPage(_ request: Request, _ context: Context) async throws -> Response {
        let call = try await call(request, context, "object.list_v2")
        return try await ListPageAction(call: call, bucket: context.parameters["bucket"]).run()
    }
}
