/// An error of `/storage/v1`, as Supabase's clients read it: `statusCode` is a text in the body, and the status of HTTP is
/// 400 for nearly all of them.
struct FilesError: Error {
    /// What clients take for the status.
    var statusCode: Int
    /// `NoSuchKey` and the like.
    var code: String
    var error: String
    var message: String
    /// What helps the app's developer; for all eyes.
    var hint: String?
    /// That of HTTP.
    var status = 400

    init(_ statusCode: Int, _ code: String, _ error: String, _ message: String, hint: String? = nil, status: Int = 400)
    {
        self.statusCode = statusCode
        self.code = code
        self.error = error
        self.message = message
        self.hint = hint
        self.status = status
    }
}

extension FilesError {
    static let noBucket = FilesError(404, "NoSuchBucket", "Bucket not found", "Bucket not found")
    static let noObject = FilesError(404, "NoSuchKey", "not_found", "Object not found")
    static let exists = FilesError(409, "ResourceAlreadyExists", "Duplicate", "The resource already exists")
    static let notEmpty = FilesError(
        409,
        "ResourceNotEmpty",
        "ResourceNotEmpty",
        "The bucket you tried to delete is not empty"
    )
    static let tooLarge = FilesError(
        413,
        "EntityTooLarge",
        "Payload too large",
        "The object exceeded the maximum allowed size"
    )
    static let internalError = FilesError(500, "InternalError", "Internal", "Internal Server Error", status: 500)

    static func forbidden(_ message: String, hint: String? = nil) -> FilesError {
        FilesError(403, "AccessDenied", "Unauthorized", message, hint: hint)
    }

    static func badType(_ message: String) -> FilesError {
        FilesError(415, "InvalidMimeType", "invalid_mime_type", message)
    }

    static func badKey(_ name: String) -> FilesError {
        FilesError(400, "InvalidKey", "InvalidKey", "Invalid key: \(name)")
    }

    static let badBucketName = FilesError(400, "InvalidBucketName", "Invalid Input", "Bucket name invalid")

    /// A request without the form that its route asks for.
    static func badRequest(_ message: String) -> FilesError {
        FilesError(400, "InvalidRequest", "Error", message)
    }

    static func noRoute(_ method: String, _ path: String) -> FilesError {
        FilesError(404, "NotFound", "Not Found", "Route \(method):\(path) not found", status: 404)
    }
}
