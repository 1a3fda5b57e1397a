import SwiftletEventLoop
import SwiftletHTTP

/// Gives back what it gets, and obeys `close`, `pause`, `spam <count> <bytes>`.
final class EchoSession: WebSocketSession {
    private let peer: any WebSocketPeer
    private let log: TestServer.Log

    init(_ peer: any WebSocketPeer, _ log: TestServer.Log) {
        self.peer = peer
        self.log = log
        log.add("opened")
    }

    func received(text: [UInt8]) {
        let words = String(decoding: text, as: UTF8.self).split(separator: " ")
        switch words.first {
        case "close": peer.close(.policyViolation)
        case "pause":
            peer.pause()
            log.add("paused")
            resumeWhenOpen()
        case "spam":
            let count = words.dropFirst().first.flatMap { Int($0) } ?? 0
            let bytes = words.last.flatMap { Int($0) } ?? 0
            let frame = WebSocketFrames.binary([UInt8](repeating: 7, count: bytes))
            for _ in 0..<count { peer.send(frame) }
            log.add("spammed")
        default: peer.send(WebSocketFrames.text(text))
        }
    }

    /// Once the log says `open`.
    private func resumeWhenOpen() {
        guard let loop = EventLoop.current else { return }
        let peer = LoopBound(peer, on: loop)
        Task(executorPreference: loop) { [log] in
            while !log.all.contains("open") { try? await Task.sleep(for: .milliseconds(2)) }
            await loop.run { peer.value.resume() }
        }
    }

    func received(binary: [UInt8]) { peer.send(WebSocketFrames.binary(binary)) }

    func ended() { log.add("ended") }
}
