import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting

/// Speaks as the official clients do, in either version.
final class PhoenixClient: Sendable {
    struct Message: Equatable {
        var joinRef: JSONValue = .null
        var ref: JSONValue
        var topic: String
        var event: String
        var payload: JSONValue

        var status: String? { payload["status"]?.string }
        var reason: String? { payload["response"]?["reason"]?.string }
    }

    let socket: WebSocketClient
    private let isArrays: Bool

    init(port: Int, version: String, token: String) throws {
        isArrays = version == "2.0.0"
        socket = try WebSocketClient(port: port, path: "/realtime/v1/websocket?apikey=\(token)&vsn=\(version)")
        guard socket.handshake.status == 101 else {
            throw SocketClient.Failure(description: "\(socket.handshake.status) \(socket.handshake.body)")
        }
    }

    func send(_ event: String, _ topic: String, _ payload: String = "{}", ref: String, joinRef: String? = nil) throws {
        let join = joinRef.map { "\"\($0)\"" } ?? "null"
        if isArrays {
            try socket.send("[\(join),\"\(ref)\",\"\(topic)\",\"\(event)\",\(payload)]")
        } else {
            let text =
                #"{"topic":"\#(topic)","event":"\#(event)","payload":\#(payload),"ref":"\#(ref)","join_ref":\#(join)}"#
            try socket.send(text)
        }
    }

    /// The next text message. Answers nothing else.
    func next() throws -> Message {
        switch try socket.next() {
        case .text(let text):
            let value = try JSONParser.parse(Array(text.utf8))
            if isArrays {
                guard let parts = value.array, parts.count == 5 else { throw Self.failure(text) }
                return Message(
                    joinRef: parts[0],
                    ref: parts[1],
                    topic: parts[2].string ?? "",
                    event: parts[3].string ?? "",
                    payload: parts[4]
                )
            }
            // The first version has these members and no others: clients refuse the message else.
            guard let object = value.object, object.keys.sorted() == ["event", "payload", "ref", "topic"] else {
                throw Self.failure(text)
            }
            return Message(
                ref: object["ref"] ?? .null,
                topic: object["topic"]?.string ?? "",
                event: object["event"]?.string ?? "",
                payload: object["payload"] ?? .null
            )
        case .ping:
            // A machine that is busy for half a minute.
            try socket.send(ClientFrame(first: 0x8A, payload: []))
            return try next()
        case let frame: throw Self.failure("\(frame)")
        }
    }

    private static func failure(_ text: String) -> SocketClient.Failure {
        SocketClient.Failure(description: "unexpected: \(text)")
    }

    /// Joins, and returns the answer.
    @discardableResult
    func join(_ topic: String, _ config: String = "{}", token: String? = nil, ref: String = "1") throws -> Message {
        let access = token.map { #","access_token":"\#($0)""# } ?? ""
        try send("phx_join", topic, #"{"config":\#(config)\#(access)}"#, ref: ref, joinRef: ref)
        return try next()
    }

    func broadcast(_ topic: String, _ event: String, _ payload: String, ref: String = "9", joinRef: String = "1") throws
    {
        let envelope = #"{"type":"broadcast","event":"\#(event)","payload":\#(payload)}"#
        try send("broadcast", topic, envelope, ref: ref, joinRef: joinRef)
    }

    func track(_ topic: String, _ payload: String, ref: String = "8") throws {
        try send(
            "presence",
            topic,
            #"{"type":"presence","event":"track","payload":\#(payload)}"#,
            ref: ref,
            joinRef: "1"
        )
    }

    /// The answer to a heartbeat, which tells that nothing else has come meanwhile.
    func isQuiet() throws -> Bool {
        try send("heartbeat", "phoenix", ref: "hb")
        let answer = try next()
        return answer.topic == "phoenix" && answer.ref == "hb" && answer.status == "ok"
    }
}
