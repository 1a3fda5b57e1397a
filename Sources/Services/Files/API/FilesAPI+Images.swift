import SwiftletHTTP
import SwiftletWeb

extension FilesAPI {
    @FunctionBuilder var imageRoutes: [FunctionPart] {
        Get("/v1/render/image/authenticated/:bucket/*") { try await render($0, $1, .required) }
        Get("/v1/render/image/public/:bucket/*") { try await render($0, $1, .none) }
        Get("/v1/render/image/sign/:bucket/*", renderByLink)
    }

    private func render(_ request: Request, _ context: Context, _ admission: Admission) async throws -> Response {
        let renderer = try imageRenderer()
        let options = try ImageOptions(request.query)
        let kind = admission == .none ? "public" : "authenticated"
        let lookup = ObjectLookup(
            call: try await call(request, context, "render.image_\(kind)", admission),
            bucket: context.parameters["bucket"],
            name: try name(context.parameters.rest)
        )
        let row = try await admission == .none ? lookup.asPublic() : lookup.asCaller()
        return try await ImageResponse(
            row: row,
            call: lookup.call,
            renderer: renderer,
            options: options,
            owner: owner(of: lookup.call)
        )
        .response()
    }

    /// The link says how: whoever has it cannot ask for another size.
    @Sendable private func renderByLink(_ request: Request, _ context: Context) async throws -> Response {
        let renderer = try imageRenderer()
        let call = try await call(request, context, "render.image_sign", .none)
        let (bucket, name) = (context.parameters["bucket"], try name(context.parameters.rest))
        let link = try FileLink(request.query["token"], linkKeys(), bucket: bucket, name, .download, now: call.now)
        guard let options = link.transformation else {
            throw FilesError.badSignature("The link is not for an image that is rendered")
        }
        let row = try await ObjectLookup(call: call, bucket: bucket, name: name).asServer()
        return try await ImageResponse(
            row: row,
            call: call,
            renderer: renderer,
            options: options,
            owner: owner(of: call),
            expires: link.expires
        )
        .response()
    }

    private func owner(of call: FilesCall) -> String {
        if let id = call.ownerID { return id }
        let address = ClientAddress(call.request, trusting: settings.trustedProxies).text
        return IPAddress(address)?.network ?? address
    }

    private func imageRenderer() throws(FilesError) -> ImageRenderer {
        guard let images else { throw .imagesAreOff }
        return images
    }
}
