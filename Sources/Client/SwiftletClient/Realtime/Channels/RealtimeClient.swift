import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Channels of `/realtime/v1` over one WebSocket: broadcasts and presence.
///
///     let realtime = RealtimeClient(client)
///     Task { await realtime.run() }
///     let room = realtime.channel("room:7")
///     await room.join()
///
/// The socket is open while a channel is wanted. It opens again when it was lost, with a fresh token, and joins again.
public actor RealtimeClient {
    private static let heartbeat: TimeInterval = 25

    private let client: APIClient
    private let transport: any SocketTransport
    private var channels: [String: ChannelState] = [:]
    private var connection: (any SocketConnection)?
    private var lastRef = 0
    /// The heartbeat that is not answered yet.
    private var heartbeatRef: String?
    /// How often ``run()`` has found no channel that is wanted.
    package private(set) var idleRounds = 0
    /// Wakes ``run()``.
    private var wish: AsyncStream<Void>.Continuation?

    public init(_ client: APIClient, transport: any SocketTransport) {
        self.client = client
        self.transport = transport
    }

    #if canImport(Darwin)
    public init(_ client: APIClient) { self.init(client, transport: URLSessionSockets()) }
    #endif

    /// The channel of a topic; the same for each call. `presenceKey` is who this is to others: without one, they are told
    /// one that is made up.
    public func channel(
        _ topic: String,
        isPrivate: Bool = false,
        receivesOwn: Bool = false,
        presenceKey: String = ""
    ) -> RealtimeChannel {
        if channels[topic] == nil {
            channels[topic] = ChannelState(
                topic: "realtime:\(topic)",
                isPrivate: isPrivate,
                receivesOwn: receivesOwn,
                presenceKey: presenceKey
            )
        }
        return RealtimeChannel(client: self, name: topic)
    }

    static func encoded(_ payload: some Encodable) throws(APIError) -> Data {
        do {
            return try JSONEncoder.swiftlet.encode(payload)
        } catch {
            throw .invalidRequest("\(error)")
        }
    }

    // MARK: - Channels

    func listen(_ name: String, _ body: @Sendable (inout ChannelState) -> Void) {
        if var channel = channels[name] {
            body(&channel)
            channels[name] = channel
        }
    }

    func join(_ name: String) async {
        guard channels[name]?.isWanted == false else { return }
        channels[name]?.isWanted = true
        channels[name]?.set(.joining)
        if connection == nil { wish?.yield() } else { await sendJoin(name) }
    }

    func leave(_ name: String) async {
        guard let channel = channels[name], channel.isWanted else { return }
        channels[name]?.isWanted = false
        channels[name]?.tracked = nil
        channels[name]?.set(.left)
        await send(
            PhoenixMessage(
                joinRef: channel.joinRef,
                ref: nextRef(),
                topic: channel.topic,
                event: "phx_leave",
                payload: Data("{}".utf8)
            )
        )
        if !channels.values.contains(where: \.isWanted) { await connection?.close() }
    }

    func send(_ name: String, _ event: String, _ payload: Data) async throws {
        guard let channel = channels[name], channel.status == .joined, let connection else { throw APIError.network }
        let envelope =
            Data(#"{"type":"broadcast","event":"#.utf8) + (try Self.encoded([event])).dropFirst().dropLast()
            + Data(#","payload":"#.utf8) + payload + Data("}".utf8)
        let message = PhoenixMessage(
            joinRef: channel.joinRef,
            ref: nextRef(),
            topic: channel.topic,
            event: "broadcast",
            payload: envelope
        )
        do { try await connection.send(message.text) } catch { throw APIError.network }
    }

    /// Kept, and told again after each join.
    func track(_ name: String, _ payload: Data?) async {
        channels[name]?.tracked = payload
        guard let channel = channels[name], channel.status == .joined else { return }
        await sendTrack(channel)
    }

    private func sendTrack(_ channel: ChannelState) async {
        let payload = channel.trackMessage
        await send(
            PhoenixMessage(
                joinRef: channel.joinRef,
                ref: nextRef(),
                topic: channel.topic,
                event: "presence",
                payload: payload
            )
        )
    }

    private func sendJoin(_ name: String) async {
        let token = (try? await client.keeper.current())?.accessToken
        guard let channel = channels[name], channel.isWanted else { return }
        let ref = nextRef()
        channels[name]?.joinRef = ref
        channels[name]?.set(.joining)
        await send(
            PhoenixMessage(
                joinRef: ref,
                ref: ref,
                topic: channel.topic,
                event: "phx_join",
                payload: channel.join(token)
            )
        )
    }

    private func nextRef() -> String {
        lastRef += 1
        return String(lastRef)
    }

    /// What cannot be sent ends the connection; then everything is joined anew.
    private func send(_ message: PhoenixMessage) async {
        guard let connection else { return }
        do { try await connection.send(message.text) } catch { await connection.close() }
    }

    // MARK: - Running

    /// Keeps the socket open until the task is cancelled.
    public func run() async {
        var failures = 0
        // A stream ends for good with the task that waits for it, so each run has its own.
        let (wishes, wish) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wish = wish
        while !Task.isCancelled {
            guard channels.values.contains(where: \.isWanted) else {
                idleRounds += 1
                for await _ in wishes { break }
                continue
            }
            do {
                let connection = try await transport.connect(try await request())
                self.connection = connection
                for name in channels.keys.sorted() { await sendJoin(name) }
                try await follow(connection) { failures = 0 }
            } catch {}
            let lost = connection.take()
            await lost?.close()
            heartbeatRef = nil
            for name in channels.keys where channels[name]?.isWanted == true {
                if case .refused = channels[name]?.status { continue }
                channels[name]?.set(.joining)
            }
            guard !Task.isCancelled, channels.values.contains(where: \.isWanted) else { continue }
            failures += 1
            let longest = min(30, 0.5 * Double(1 << min(failures - 1, 6)))
            try? await client.configuration.retry.sleep(Double.random(in: longest / 2...longest))
        }
    }

    private func request() async throws -> URLRequest {
        let session = try await client.keeper.current()
        let configuration = client.configuration
        guard let key = configuration.apiKey ?? session?.accessToken else { throw APIError.unauthorized }
        var endpoint = APIEndpoint(.get, "/realtime/v1/websocket", requiresAuth: false)
        endpoint.query = [URLQueryItem(name: "apikey", value: key), URLQueryItem(name: "vsn", value: "2.0.0")]
        var request = try client.wire.request(endpoint, nil)
        guard let url = request.url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else {
            throw APIError.invalidRequest("the server has no address")
        }
        parts.scheme = parts.scheme == "http" ? "ws" : "wss"
        request.url = parts.url
        return request
    }

    /// Until the connection ends.
    private func follow(_ connection: any SocketConnection, _ onMessage: () -> Void) async throws {
        let beating = Task { try await self.beat(connection) }
        defer { beating.cancel() }
        try await withTaskCancellationHandler {
            while true {
                let text = try await connection.receive()
                onMessage()
                if let message = PhoenixMessage(text) { await receive(message) }
            }
        } onCancel: {
            Task { await connection.close() }
        }
    }

    /// A server that has not answered the last one is gone, whatever the network says.
    private func beat(_ connection: any SocketConnection) async throws {
        while true {
            try await Task.sleep(nanoseconds: UInt64(Self.heartbeat * 1_000_000_000))
            guard heartbeatRef == nil else { return await connection.close() }
            let ref = nextRef()
            heartbeatRef = ref
            try await connection.send(
                PhoenixMessage(ref: ref, topic: "phoenix", event: "heartbeat", payload: Data("{}".utf8)).text
            )
        }
    }

    // MARK: - What the server says

    private func receive(_ message: PhoenixMessage) async {
        if message.topic == "phoenix" {
            if message.ref == heartbeatRef { heartbeatRef = nil }
            return
        }
        guard let name = channels.first(where: { $0.value.topic == message.topic })?.key, let channel = channels[name],
            channel.isWanted
        else { return }
        switch message.event {
        case "phx_reply" where message.ref == channel.joinRef: await joined(name, message)
        // Of an earlier join.
        case "phx_close" where message.joinRef == channel.joinRef: await closed(name)
        case "presence_state":
            channels[name]?.presence.replace(with: message.members)
            channels[name]?.tellPresence()
        case "presence_diff":
            channels[name]?.presence.apply(message.members)
            channels[name]?.tellPresence()
        case "broadcast":
            guard let event = message.members["event"] as? String, let payload = message.member("payload") else {
                return
            }
            channels[name]?.tell(ChannelMessage(event: event, json: payload))
        default: break
        }
    }

    private func joined(_ name: String, _ message: PhoenixMessage) async {
        guard message.members["status"] as? String == "ok" else {
            let response = message.members["response"] as? [String: Any]
            return await refused(name, response?["reason"] as? String ?? "")
        }
        channels[name]?.set(.joined)
        if let channel = channels[name], channel.tracked != nil { await sendTrack(channel) }
    }

    /// A token that has expired is replaced; everything else is final.
    private func refused(_ name: String, _ reason: String) async {
        if reason.hasPrefix("InvalidJWTToken: Token has expired"), await refresh() { return await sendJoin(name) }
        channels[name]?.isWanted = false
        channels[name]?.set(.refused(reason))
    }

    /// The server has ended it, as it does when the token expires.
    private func closed(_ name: String) async {
        if let payload = (try? await client.keeper.current()).flatMap({ JWTPayload($0.accessToken) }),
            payload.isExpired()
        {
            _ = await refresh()
        }
        await sendJoin(name)
    }

    private func refresh() async -> Bool {
        guard let session = try? await client.keeper.current() else { return false }
        return (try? await client.keeper.refreshed(after: session)) != nil
    }
}
