import Swiftlet

struct MessageReference: Codable, Sendable {
    let message: String
}

struct DeviceReference: Codable, Sendable {
    let message: String
    let token: String
}

/// Takes a message up once it is due, and leaves it to a job for each of the recipient's devices.
let deliverPush = Job("deliver-push") { (reference: MessageReference, context: Context) in
    let taken = try await context.personalDatabase.query(
        """
        UPDATE push_messages SET status = 'queued'
        WHERE id = \(reference.message)::uuid AND user_id = \(context.person) AND status IN ('scheduled', 'queued')
        RETURNING recipient_id
        """
    )
    // Cancelled meanwhile.
    guard let recipient = taken.first?["recipient_id"] else { return }
    let devices = try await context.personalDatabase.query(
        """
        SELECT token FROM push_tokens WHERE user_id = \(recipient) AND EXISTS (
            SELECT FROM push_messages WHERE id = \(reference.message)::uuid AND user_id = \(context.person)
        )
        """
    )
    for device in devices {
        let reference = DeviceReference(message: reference.message, token: try device.decode(String.self, "token"))
        try await context.enqueue(pushToDevice, reference, priority: .high)
    }
    guard devices.isEmpty else { return }
    try await note(reference.message, status: "undeliverable", reason: "the recipient has no device", context)
}
.inTransaction()

/// Hands a message to the service of one device.
let pushToDevice = Job("push-to-device") { (reference: DeviceReference, context: Context) in
    guard let (message, target) = try await find(reference, context) else { return }
    switch await send(message, to: target, context) {
    case .accepted: try await note(message.id, status: "sent", context)
    case .unregistered(let reason):
        try await forget(target, context)
        try await note(message.id, status: "undeliverable", reason: reason, context)
    case .refused(let reason):
        try await note(message.id, status: "failed", reason: reason, context)
        throw JobFailure(reason)
    case .later(let reason):
        try await note(message.id, status: context.isLastAttempt ? "failed" : "queued", reason: reason, context)
        throw DeliveryDelayed(description: reason)
    }
}

private func send(_ message: PushMessage, to target: PushTarget, _ context: Context) async -> PushResponse {
    do {
        return try await context.push.send(message, to: target)
    } catch {
        return .later(error.message)
    }
}

/// The service asks for another attempt.
private struct DeliveryDelayed: Error, CustomStringConvertible {
    let description: String
}

/// nil if the device has gone to somebody else meanwhile.
private func find(_ reference: DeviceReference, _ context: Context) async throws -> (PushMessage, PushTarget)? {
    let rows = try await context.personalDatabase.query(
        """
        SELECT message.title, message.body, message.data, device.platform, device.environment, device.app,
            extract(epoch FROM device.registered_at)::bigint AS registered
        FROM push_messages AS message
        JOIN push_tokens AS device ON device.user_id = message.recipient_id AND device.token = \(reference.token)
        WHERE message.id = \(reference.message)::uuid AND message.user_id = \(context.person)
        """
    )
    guard let row = rows.first else { return nil }
    var data: [String: String] = [:]
    for (name, value) in try row.json("data").object ?? [:] {
        data[name] = value.string
    }
    let message = PushMessage(
        id: reference.message,
        title: try row.decode(String.self, "title"),
        body: try row.decode(String.self, "body"),
        data: data
    )
    let target = PushTarget(
        token: reference.token,
        platform: try row.decode(String.self, "platform"),
        environment: try row.decode(String.self, "environment"),
        app: try row.decode(String.self, "app"),
        registered: try row.decode(Int.self, "registered")
    )
    return (message, target)
}

/// One device that has got it is enough for a message to be sent.
private func note(
    _ message: String,
    status: String,
    reason: String? = nil,
    _ context: Context
) async throws {
    try await context.personalDatabase.query(
        """
        UPDATE push_messages SET attempts = attempts + 1, last_error = coalesce(\(reason), last_error),
            status = CASE WHEN status = 'sent' THEN status ELSE \(status) END,
            sent_at = CASE WHEN \(status) = 'sent' THEN coalesce(sent_at, clock_timestamp()) ELSE sent_at END
        WHERE id = \(message)::uuid AND user_id = \(context.person)
        """
    )
}

/// Unless it was registered anew since.
private func forget(_ target: PushTarget, _ context: Context) async throws {
    try await context.personalDatabase.query(
        """
        DELETE FROM push_tokens WHERE token = \(target.token)
            AND extract(epoch FROM registered_at)::bigint <= \(target.registered) AND \(context.person) <> ''
        """
    )
}

/// Messages are kept for thirty days.
let forgetMessages = Daily(at: "03:10", "forget-push-messages") { context in
    try await context.databaseAcrossTenants.query(
        """
        DELETE FROM push_messages
        WHERE deliver_at < clock_timestamp() - interval '30 days' AND status NOT IN ('scheduled', 'queued')
        """
    )
}
.acrossTenants()
