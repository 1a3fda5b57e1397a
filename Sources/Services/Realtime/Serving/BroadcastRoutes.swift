import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// Broadcasts that are sent by HTTP.
struct BroadcastRoutes: Sendable {
    private let authentication: Authentication
    private let policies: ChannelPolicies
    private let hub: RoomHub
    private let settings: RealtimeSettings

    init(
        _ authentication: Authentication,
        _ policies: ChannelPolicies,
        _ hub: RoomHub,
        _ settings: RealtimeSettings
    ) {
        self.authentication = authentication
        self.policies = policies
        self.hub = hub
        self.settings = settings
    }

    private struct Message {
        let topic: String
        let event: String
        let payload: JSONText
        let isPrivate: Bool
        let id: String?
    }

    /// `{"messages": [{"topic", "event", "payload", "private"?, "id"?}]}`. Messages to private rooms that the caller may
    /// not write to are dropped.
    @Sendable func sendBatch(_ request: Request, _ context: Context) async throws -> Response {
        guard let user = await caller(request) else { return Self.unauthorized }
        guard let body = try? JSONParser.parse(request.body), let list = body["messages"]?.array else {
            return Self.invalid(["messages": ["can't be blank"]])
        }
        var messages: [Message] = []
        for entry in list {
            switch read(entry) {
            case .success(let message): messages.append(message)
            case .failure(let faults): return Self.invalid(faults.members)
            }
        }
        var allowed: [String: Bool] = [:]
        var deliveries: [RoomMessage] = []
        for message in messages {
            if message.isPrivate {
                if allowed[message.topic] == nil {
                    allowed[message.topic] = await policies.mayWrite(.broadcast, message.topic, as: user)
                }
                guard allowed[message.topic] == true else { continue }
            }
            let broadcast = Broadcast.text(event: message.event, payload: message.payload, id: message.id)
            let room = RoomName(topic: message.topic, isPrivate: message.isPrivate)
            deliveries.append(RoomMessage(room: room, content: .broadcast(broadcast)))
        }
        hub.publish(deliveries)
        return Response(status: .accepted)
    }

    /// The body is the payload: JSON or bytes.
    @Sendable func send(_ request: Request, _ context: Context) async throws -> Response {
        guard let user = await caller(request) else { return Self.unauthorized }
        let room = RoomName(
            topic: context.parameters["topic"],
            isPrivate: ["true", "1"].contains(request.query["private"])
        )
        let event = context.parameters["event"]
        guard request.body.count <= settings.maximumPayloadBytes else {
            return .realtimeError(.contentTooLarge, "The payload is too large")
        }
        let broadcast: Broadcast
        switch request.header("content-type")?.prefix(while: { $0 != ";" && $0 != " " }).lowercased() {
        case "application/json":
            guard (try? JSONParser.parse(request.body)) != nil else {
                return .realtimeError(.badRequest, "The body is not JSON")
            }
            broadcast = .text(event: event, payload: request.body)
        case "application/octet-stream":
            broadcast = .binary(BinaryBroadcast(event: event, metadata: [], isJSON: false, payload: request.body))
        default:
            return .realtimeError(.unsupportedMediaType, "Content-Type must be JSON or application/octet-stream")
        }
        if room.isPrivate {
            guard await policies.mayWrite(.broadcast, room.topic, as: user) else {
                let reason = "You do not have permissions to write to this Channel topic: \(room.topic)"
                return .realtimeError(.forbidden, reason)
            }
        }
        hub.publish([RoomMessage(room: room, content: .broadcast(broadcast))])
        return Response(status: .accepted)
    }

    private func caller(_ request: Request) async -> User? {
        guard case .success(let user) = await authentication.identify(request) else { return nil }
        return try? ChannelCaller.admit(user).get()
    }

    private struct Faults: Error { var members: JSONObject = [:] }

    private func read(_ entry: JSONValue) -> Result<Message, Faults> {
        var faults = Faults()
        let blank = JSONValue.array(["can't be blank"])
        let topic = entry["topic"]?.string ?? ""
        let event = entry["event"]?.string ?? ""
        if topic.isEmpty { faults.members["topic"] = blank }
        if event.isEmpty { faults.members["event"] = blank }
        let payload = entry["payload"].flatMap { $0.isNull ? nil : JSONText($0) } ?? []
        if payload.isEmpty { faults.members["payload"] = blank }
        if payload.count > settings.maximumPayloadBytes {
            faults.members["payload"] = .array(["Payload size exceeds tenant limit"])
        }
        guard faults.members.isEmpty else { return .failure(faults) }
        return .success(
            Message(
                topic: topic,
                event: event,
                payload: payload,
                isPrivate: entry["private"]?.bool ?? false,
                id: entry["id"]?.string
            )
        )
    }

    private static var unauthorized: Response {
        Response(json: JSONText(.object(["message": "Unauthorized"])), .unauthorized)
    }

    private static func invalid(_ faults: JSONObject) -> Response {
        Response(json: JSONText(.object(["errors": .object(faults)])), .unprocessableContent)
    }
}
