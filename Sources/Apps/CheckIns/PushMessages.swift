import Swiftlet

/// A message that somebody writes.
struct NewMessage {
    var recipient: String
    var title: String
    var body: String
    var data: [String: String] = [:]

    /// What APNs takes, without the few bytes that it adds.
    static let maximumPayloadBytes = 4096

    init(recipient: String, title: String, body: String) {
        self.recipient = recipient
        self.title = title
        self.body = body
    }

    init(_ fields: inout BodyFields) {
        recipient = fields.person("userId")
        title = fields.text("title", upTo: 200)
        body = fields.text("body", upTo: 4000)
        data = fields.texts("data")
        if let name = data.keys.sorted().first(where: Self.isReserved) {
            fields.fault("data", "must not have the key \(name), which the push services use themselves")
        }
        let bytes = payload.description.utf8.count
        if bytes > Self.maximumPayloadBytes {
            fields.fault(
                data.isEmpty ? "body" : "data",
                "makes the message \(bytes) bytes large, of which \(Self.maximumPayloadBytes) are allowed"
            )
        }
    }

    /// Google refuses a message with such a key, and Apple's own would be replaced.
    private static func isReserved(_ name: String) -> Bool {
        ["aps", "from", "message_type"].contains(name) || name.hasPrefix("google") || name.hasPrefix("gcm")
    }

    var dataObject: JSONObject {
        var object = JSONObject()
        for (name, text) in data.sorted(by: { $0.key < $1.key }) { object[name] = .string(text) }
        return object
    }

    /// As APNs gets it.
    private var payload: JSONValue {
        var object = dataObject
        object["aps"] = ["alert": ["title": .string(title), "body": .string(body)]]
        return .object(object)
    }
}

/// Stores a message of the caller and the job that delivers it, together. Without `time` it is delivered at once.
///
/// Throws 404 for a recipient who does not exist or to whom the caller may not write, and 429 above sixty a minute.
func post(_ message: NewMessage, at time: String? = nil, _ context: Context) async throws -> Row {
    try await context.transaction { context in
        let database = try context.personalDatabase
        let sender = try context.person
        let tenant = (try? context.tenant)?.rawValue
        // One after another, so that none is missed when they are counted.
        let counts = try await database.query(
            """
            SELECT (SELECT count(*) FROM push_messages, pg_advisory_xact_lock(hashtextextended(\(sender), 30))
                    WHERE user_id = \(sender) AND kind = 'message'
                        AND created_at > clock_timestamp() - interval '1 minute') AS recent,
                swiftlet_person_exists(\(message.recipient)) AND (
                    \(context[PushRecipients.self] == .any)::boolean
                    OR swiftlet_is_linked(\(sender), \(tenant), \(message.recipient))
                ) AS allowed
            """
        )
        guard let row = counts.first, try row.decode(Bool.self, "allowed") else { throw APIError.notFound }
        guard try row.decode(Int.self, "recent") < 60 else {
            throw APIError(.tooManyRequests, "TOO_MANY_MESSAGES", "At most 60 messages a minute; try again later.")
        }
        return try await store(message, at: time, context)
    }
}

/// The same without looking whether it may be sent. To be called in a transaction.
@discardableResult
func store(
    _ message: NewMessage,
    _ kind: String = "message",
    at time: String? = nil,
    _ context: Context
) async throws -> Row {
    let rows = try await context.personalDatabase.query(
        """
        INSERT INTO push_messages (kind, user_id, recipient_id, title, body, data, status, deliver_at)
        VALUES (
            \(kind), \(context.person), \(message.recipient), \(message.title), \(message.body),
            \(JSONValue.object(message.dataObject).description)::jsonb,
            \(time == nil ? "queued" : "scheduled"), coalesce(\(time)::timestamptz, clock_timestamp())
        )
        RETURNING id::text AS id, created_at, deliver_at
        """
    )
    guard let row = rows.first else { throw APIError.notFound }
    let id = try row.decode(String.self, "id")
    try await context.enqueue(
        deliverPush,
        MessageReference(message: id),
        at: time.map { .at($0) } ?? .now,
        key: "message:\(id)",
        priority: kind == "message" ? .normal : .high
    )
    return row
}
