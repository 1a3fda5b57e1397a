import Swiftlet

/// What the app may attach: a photo, a scan, a letter, a table, a log, a film.
private let accepted = [
    "image/*", "text/*", "video/*", "application/pdf", "application/msword", "application/rtf",
    "application/vnd.ms-excel", "application/vnd.ms-powerpoint", "application/vnd.oasis.opendocument.text",
    "application/vnd.oasis.opendocument.spreadsheet", "application/vnd.oasis.opendocument.presentation",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
]

let ticketAttachments = Resource("service_ticket_attachments", scope: .tenant) {
    ChildOf(ticketResource, by: "ticket_id")
    AuthoredBy("uploaded_by")
    Hidden("storage_key")
    Input("key")
    Before(.create, run: { change, _ in change.move("key", to: "storage_key") })
    Joined("uploaded_by_name", from: "users", columns: "first_name", "last_name", by: "uploaded_by")
    DefaultOrder("-created_at", "-id")
}

/// Attaches files to a ticket. The files first, then their rows, all or none: a row never names a file that is not there.
func attachFiles(_ request: Request, _ context: Context) async throws -> Response {
    let ticket = try await ticketResource.get(context.parameters["id"], in: context)
    var keys: [ObjectKey] = []
    var files: [JSONObject] = []
    do {
        for try await file in try request.files() {
            let type = file.contentType
            guard accepted.contains(where: type.matches) else { throw refusal(of: type) }
            let key = ObjectKey.unique(in: "service-tickets", of: try context.tenant)
            let name = file.name?.text ?? "file"
            keys.append(key)
            try await context.expectFile(key)
            let size = try await context.storage.put(file.chunks, at: key, contentType: type)
            guard size > 0 else { throw APIError.validation(["file": "is empty"]) }
            files.append([
                "file_name": .string(name), "content_type": .string("\(type)"), "size": JSONValue(size),
                "key": .string(key.text),
            ])
        }
        guard !files.isEmpty else { throw APIError.validation(["file": "is required"]) }
    } catch {
        await removeFiles(keys, context)
        throw error
    }
    let (values, stored) = (files, keys)
    do {
        return try await context.transaction { context in
            try await context.keepFiles(stored)
            var rows: [ResourceRow] = []
            for file in values { rows.append(try await ticketAttachments.create(file, in: context, parent: ticket)) }
            guard rows.count > 1 else { return rows[0].response(.created) }
            return .json(.created, ["data": .array(rows.map { .object($0.object()) }), "total": JSONValue(rows.count)])
        }
    } catch let error as PostgresError where mayHaveCommitted(error) {
        // If there are no rows, the note of the files is still there.
        throw error
    } catch {
        await removeFiles(stored, context)
        throw error
    }
}

private func mayHaveCommitted(_ error: PostgresError) -> Bool {
    [.connectionLostAfterSending, .timeout, .cancelled].contains(error.kind)
}

private func refusal(of type: MediaType) -> APIError {
    APIError(.unsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "Files of type \(type.essence) are not accepted")
}

/// Downloads a file of a ticket.
func downloadAttachment(_ request: Request, _ context: Context) async throws -> Response {
    let id = context.parameters["attachment"]
    let rows = try await context.database.query(
        """
        SELECT file_name, storage_key FROM service_ticket_attachments
        WHERE tenant_id = \(context.tenant) AND ticket_id = \(context.parameters["id"]) AND id = \(id)
        """
    )
    guard let row = rows.first, let name = row["file_name"].flatMap(FileName.init),
        let key = row["storage_key"].flatMap(ObjectKey.init), let file = try await context.storage.get(key)
    else { throw APIError.notFound }
    return .file(file, name: name, version: id, to: request)
}

/// Deletes a file of a ticket.
func deleteAttachment(_ request: Request, _ context: Context) async throws -> Response {
    let id = context.parameters["attachment"]
    let keys = try await context.transaction { context in
        try await takeAttachments(of: context.parameters["id"], "id = \(id)", context)
    }
    await removeFiles(keys, context)
    return .success
}

/// Deletes a ticket with its files. It is locked first, so that no file is attached meanwhile.
func deleteTicket(_ request: Request, _ context: Context) async throws -> Response {
    let id = context.parameters["id"]
    let keys = try await context.transaction { context in
        _ = try await context.database.query(
            "SELECT 1 FROM service_tickets WHERE tenant_id = \(context.tenant) AND id::text = \(id) FOR UPDATE"
        )
        let keys = try await takeAttachments(of: id, "true", context)
        try await ticketResource.delete(id, in: context)
        return keys
    }
    await removeFiles(keys, context)
    return .success
}

/// Deletes rows of a ticket, and returns where their files are.
private func takeAttachments(of ticket: String, _ condition: SQL, _ context: Context) async throws -> [ObjectKey] {
    let rows = try await context.database.query(
        """
        DELETE FROM service_ticket_attachments
        WHERE tenant_id = \(context.tenant) AND ticket_id = \(ticket) AND \(condition) RETURNING storage_key
        """
    )
    let keys = rows.compactMap { $0["storage_key"].flatMap(ObjectKey.init) }
    try await context.dropFiles(keys)
    return keys
}

/// Best effort: what stays, as nobody knows about it or the server ends here, a job removes later. So it does with what
/// is deleted in the transaction of a batch, which may still be undone.
private func removeFiles(_ keys: [ObjectKey], _ context: Context) async {
    guard !context.isInTransaction else { return }
    for key in keys {
        do {
            try await context.storage.delete(key)
        } catch {
            context.logger.warning("a file stays without its row", metadata: ["storage.key": "\(key)"])
        }
    }
}
