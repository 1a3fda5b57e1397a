public import Swiftlet

/// Sends a message to somebody's devices. Its delivery is a job; the answer says that it was accepted.
public let sendPushNotification = Function("send-push-notification") {
    Post { request, context in
        var fields = try BodyFields(request)
        let message = NewMessage(&fields)
        try fields.finish()
        // Nobody would deliver it.
        _ = try context.push
        let row = try await post(message, context)
        return .json([
            "success": true, "messageId": try row.json("id"), "sentAt": try row.json("created_at"),
        ])
    }
    .forPersons()
    .taking(
        .object([
            "userId": .text(upTo: 200), "title": .text(upTo: 200), "body": .text(upTo: 4000),
            "data": .dictionary(of: .text).nullable.optional,
        ])
    )
    .answering(.object(["success": .flag, "messageId": .uuid, "sentAt": .timestamp]))
    .refusing(.notFound, .tooManyRequests)
    deliverPush
    pushToDevice
    forgetMessages
}

/// The same for a time in the future, at most a year from now.
public let scheduleNotification = Function("schedule-notification") {
    Post { request, context in
        var fields = try BodyFields(request)
        let message = NewMessage(&fields)
        let time = fields.time("deliveryTime")
        try fields.finish()
        _ = try context.push
        try await checkFuture(time, context)
        let row = try await post(message, at: time, context)
        return .json([
            "success": true, "messageId": try row.json("id"), "scheduledFor": try row.json("deliver_at"),
        ])
    }
    .forPersons()
    .taking(
        .object([
            "userId": .text(upTo: 200), "title": .text(upTo: 200), "body": .text(upTo: 4000),
            "data": .dictionary(of: .text).nullable.optional, "deliveryTime": .timestamp,
        ])
    )
    .answering(.object(["success": .flag, "messageId": .uuid, "scheduledFor": .timestamp]))
    .refusing(.notFound, .tooManyRequests)
}

/// Takes back a message that has not been sent yet.
public let cancelNotification = Function("cancel-notification") {
    Post { request, context in
        var fields = try BodyFields(request)
        let id = fields.text("messageId", upTo: 100)
        try fields.finish()
        guard id.isUUID else { throw APIError.notFound }
        return try await context.transaction { context in
            let rows = try await context.personalDatabase.query(
                """
                UPDATE push_messages SET status = 'cancelled'
                WHERE id = \(id)::uuid AND user_id = \(context.person) AND status = 'scheduled' AND kind = 'message'
                RETURNING id::text AS id
                """
            )
            guard let row = rows.first else { throw APIError.notFound }
            try await context.cancel(deliverPush, key: "message:\(row.decode(String.self, "id"))")
            return .success
        }
    }
    .forPersons()
    .taking(.object(["messageId": .text(upTo: 100)]))
    .answering(.success)
    .refusing(.notFound)
}

/// By the database's clock.
private func checkFuture(_ time: String, _ context: Context) async throws {
    let isFuture: Bool
    do {
        let rows = try await context.personalDatabase.query(
            """
            SELECT \(time)::timestamptz > clock_timestamp()
                AND \(time)::timestamptz <= clock_timestamp() + interval '1 year' AS ok, \(context.person) AS person
            """
        )
        isFuture = try rows.first?.decode(Bool.self, "ok") ?? false
    } catch let error as PostgresError where error.state.errorClass == "22" {
        throw APIError.validation(["deliveryTime": "is no time that exists"])
    }
    guard isFuture else {
        throw APIError.validation(["deliveryTime": "must be in the future, at most a year from now"])
    }
}
