/// A client of a WebSocket with a blocking socket, as ``SocketClient``. It answers no pings and no close by itself.
package final class WebSocketClient: Sendable {
    package enum Frame: Equatable, Sendable {
        case text(String)
        case binary([UInt8])
        case ping
        case pong([UInt8])
        case close(UInt16?)
        /// The connection has ended.
        case end
    }

    package let socket: SocketClient
    package let handshake: SocketClient.Reply

    /// Connects and asks for the WebSocket. Sends `early` together with that.
    package init(
        port: Int,
        path: String,
        headers: [String] = [],
        receiveBuffer: Int? = nil,
        early: [UInt8] = []
    ) throws {
        socket = try SocketClient(port: port, receiveBuffer: receiveBuffer)
        let fields =
            [
                "Host: test", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            ] + headers
        let head = (["GET \(path) HTTP/1.1"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        try socket.send(Array(head.utf8) + early)
        handshake = try socket.reply()
    }

    package func send(_ frame: ClientFrame) throws { try socket.send(frame.bytes) }

    package func send(_ text: String) throws { try send(.text(text)) }

    /// The next frame, which has to be whole: servers do not cut theirs.
    package func next() throws -> Frame {
        let head: [UInt8]
        do { head = try socket.bytes(2) } catch {
            guard error.description.hasPrefix("closed") || error.description.contains("errno 104") else { throw error }
            return .end
        }
        guard head[0] & 0x80 != 0, head[0] & 0x70 == 0, head[1] & 0x80 == 0 else {
            throw SocketClient.Failure(description: "a deformed frame: \(head)")
        }
        let extended = head[1] == 126 ? 2 : head[1] == 127 ? 8 : 0
        let length = try socket.bytes(extended).reduce(0) { $0 << 8 | Int($1) }
        let payload = try socket.bytes(extended == 0 ? Int(head[1]) : length)
        switch head[0] & 0x0F {
        case 1: return .text(String(decoding: payload, as: UTF8.self))
        case 2: return .binary(payload)
        case 8: return .close(payload.count < 2 ? nil : UInt16(payload[0]) << 8 | UInt16(payload[1]))
        case 9: return .ping
        case 10: return .pong(payload)
        default: throw SocketClient.Failure(description: "an unknown frame: \(head)")
        }
    }
}
