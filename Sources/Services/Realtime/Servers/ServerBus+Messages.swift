import Logging
import SwiftletJSON
import Synchronization

// MARK: - In

extension ServerBus {
    var microseconds: Int { state.withLock(\.clock).now() }

    func takeIncoming() async {
        let (heard, hasConnected) = state.withLock { $0.takeIncoming() }
        if hasConnected {
            send([.hello])
            // They may have missed what has changed here.
            if peerCount > 0 { tellPresence() }
        }
        for (number, text) in heard {
            let now = microseconds
            guard let value = try? JSONParser.parse(Array(text.utf8)), let sender = value["from"]?.string, sender != id,
                value["to"].map({ $0.string == id }) ?? true
            else { continue }
            guard state.withLock({ $0.seal?.take(number, from: sender, at: now) }) == true else { continue }
            await take(value["items"]?.array ?? [], from: sender)
        }
    }

    private func take(_ items: [JSONValue], from sender: ServerID) async {
        let items = items.compactMap { BusItem($0) }
        let standing = state.withLock { $0.heard(sender) }
        guard standing != .departed else { return await takeBroadcasts(items) }
        var deliveries: [RoomMessage] = []
        var isTold = false
        for item in items {
            switch item {
            case .hello, .ask: tellPresence(to: sender)
            case .delivery(let delivery): deliveries.append(delivery)
            case .beat: break
            case .reset:
                isTold = true
                hub.receive(deliveries)
                deliveries = []
                hub.forget(sender, isToldAnew: true)
            case .bye:
                state.withLock { $0.depart(sender) }
                hub.receive(deliveries)
                return hub.forget(sender)
            case .parcel(let number):
                hub.receive(deliveries)
                deliveries = []
                hub.receive(Self.deliveries(in: await unpack(number)))
            }
        }
        hub.receive(deliveries)
        // It is new, was there before we knew, or was given up, and does not tell by itself who is present with it.
        if standing == .new, !isTold { send([.ask], to: sender) }
    }

    /// Of who has left, nothing else counts.
    private func takeBroadcasts(_ items: [BusItem]) async {
        for item in items {
            if case .parcel(let number) = item {
                hub.receive(Self.deliveries(in: await unpack(number).filter(\.isBroadcast)))
            } else if item.isBroadcast {
                hub.receive(Self.deliveries(in: [item]))
            }
        }
    }

    private static func deliveries(in items: [BusItem]) -> [RoomMessage] {
        items.compactMap { if case .delivery(let delivery) = $0 { delivery } else { nil } }
    }

    private func unpack(_ number: Int) async -> [BusItem] {
        guard let content = await transport.load(number),
            let items = try? JSONParser.parse(Array(content.utf8)).array
        else { return [] }
        return items.compactMap { BusItem($0) }
    }
}

// MARK: - Out

extension ServerBus {
    func sendOutgoing() async {
        while true {
            let items = state.withLock { $0.takeOutgoing() }
            guard !items.isEmpty else { return }
            do {
                try await send(items)
                if state.withLock({ $0.reached() }) { tellPresence() }
            } catch {
                state.withLock { $0.lose(items.count) }
                if Task.isCancelled { return }
                return lost("\(error)")
            }
        }
    }

    private func send(_ items: [BusState.Outgoing]) async throws {
        let limit = transport.maximumBytes - BusSeal.maximumBytes
        var texts: [String] = []
        var pack = BusPack(from: id)
        for item in items {
            var text = item.text
            if text.count > limit - BusPack.framingBytes {
                guard let parcel = try await parcel(text) else { continue }
                text = parcel
            }
            if !pack.isEmpty, pack.target != item.target || pack.count + text.count > limit {
                texts.append(pack.finish())
                pack = BusPack(from: id)
            }
            pack.add(text, to: item.target)
        }
        if !pack.isEmpty { texts.append(pack.finish()) }
        let now = microseconds
        texts = state.withLock { state in texts.compactMap { state.seal?.seal($0, at: now) } }
        if !texts.isEmpty { try await transport.send(texts) }
    }

    /// nil for what is too long for the transport altogether: nobody else gets it, and all else goes on.
    private func parcel(_ text: JSONText) async throws -> JSONText? {
        do {
            let number = try await transport.store("[" + String(decoding: text, as: UTF8.self) + "]")
            return BusItem.parcel(number).text
        } catch BusFault.tooLong {
            state.withLock { $0.drop() }
            logger.warning("a message is too long for other servers", metadata: ["bytes": "\(text.count)"])
            return nil
        }
    }
}
