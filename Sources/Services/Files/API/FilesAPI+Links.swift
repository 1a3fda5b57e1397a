import SwiftletHTTP
import SwiftletWeb

extension FilesAPI {
    @FunctionBuilder var linkRoutes: [FunctionPart] {
        Post("/v1/object/sign/:bucket/*") { try await signing($0, $1, "sign").one(try name($1.parameters.rest)) }
        Post("/v1/object/sign/:bucket") {
            try await signing($0, $1, "sign_many").many()
        }
        Get("/v1/object/sign/:bucket/*", downloadByLink)
        Post("/v1/object/upload/sign/:bucket/*") {
            try await signing($0, $1, "sign_upload_url").upload(try name($1.parameters.rest))
        }
        Put("/v1/object/upload/sign/:bucket/*", uploadByLink).streamingBody(upTo: bodyLimit)
    }

    private func signing(_ request: Request, _ context: Context, _ verb: String) async throws -> SignAction {
        SignAction(
            call: try await call(request, context, "object.\(verb)"),
            keys: try linkKeys(),
            bucket: context.parameters["bucket"],
            images: images?.settings
        )
    }

    @Sendable private func downloadByLink(_ request: Request, _ context: Context) async throws -> Response {
        let call = try await call(request, context, "object.get_signed", .none)
        let (bucket, name) = (context.parameters["bucket"], try name(context.parameters.rest))
        let link = try FileLink(request.query["token"], linkKeys(), bucket: bucket, name, .download, now: call.now)
        // Whoever was given a small picture was not given the large one.
        guard link.transformation == nil else { throw FilesError.badSignature("The link is for a rendered image") }
        let row = try await ObjectLookup(call: call, bucket: bucket, name: name).asServer()
        return try await ObjectResponse(row: row, request: request, files: files, expires: link.expires).response()
    }

    @Sendable private func uploadByLink(_ request: Request, _ context: Context) async throws -> Response {
        let call = try await call(request, context, "object.upload_signed", .none)
        let (bucket, name) = (context.parameters["bucket"], try name(context.parameters.rest))
        let link = try FileLink(request.query["token"], linkKeys(), bucket: bucket, name, .upload, now: call.now)
        var writer = ObjectWriter(call: call, bucket: bucket, name: name, isUpsert: link.isUpsert)
        writer.authority = .link(owner: link.owner)
        _ = try await UploadAction(writer: writer, files: files).run()
        return .json(["Key": .string(link.url)])
    }

    func linkKeys() throws(FilesError) -> LinkKeys {
        let secrets = settings.linkSecrets?() ?? []
        guard let secret = secrets.first, let keys = try? LinkKeys(secret: secret, others: Array(secrets.dropFirst()))
        else {
            throw FilesError(400, "FeatureNotEnabled", "FeatureNotEnabled", "This server has no key to sign links with")
        }
        return keys
    }
}
