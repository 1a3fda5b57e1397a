import SwiftletAuth
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON

/// The tokens of a client's channels, which end and are renewed.
extension RealtimeSocket {
    func renew(_ message: ClientMessage, _ channel: JoinedChannel) {
        guard case .json(let payload) = message.content, let payload = try? JSONParser.parse(payload),
            let token = JoinConfiguration.token(payload["access_token"]), token != (channel.token ?? identity.token)
        else { return }
        if channel.room.isPrivate || channel.changes != nil { return later(.renew(token, channel)) }
        switch service.verify(token) {
        case .success(let user): renewed(channel, user, token, .all)
        case .failure(.unknownKey): later(.renew(token, channel))
        case .failure(let error): end(channel, error.channelText)
        }
    }

    func renewLater(_ token: String, _ channel: JoinedChannel) async {
        let user: User
        switch await service.identify(token) {
        case .success(let found): user = found
        case .failure(let error): return end(channel, error.channelText)
        }
        var rights = ChannelRights.all
        if channel.room.isPrivate {
            switch await service.policies.read(channel.room.topic, as: user) {
            case .success(let read): rights = read
            case .failure: return end(channel, "Unknown Error on Channel")
            }
            guard rights.readsBroadcasts || rights.readsPresence else {
                let topic = channel.room.topic
                return end(channel, "You no longer have permission to read from this Channel topic: \(topic)")
            }
        }
        renewed(channel, user, token, rights)
    }

    private func renewed(_ channel: JoinedChannel, _ user: User, _ token: String, _ rights: ChannelRights) {
        guard channels[channel.topic] === channel else { return }
        guard !service.hasEnded(user) else { return end(channel, TokenError.ended.channelText) }
        channel.user = user
        channel.token = token
        channel.rights = rights
        channel.changes?.renew(as: user)
        armExpiry()
    }

    /// One timer for the channel whose token expires first.
    func armExpiry() {
        expiry?.cancel()
        expiry = nil
        guard let first = channels.values.compactMap(\.user.expires).min() else { return }
        let seconds = max(0, min(first - service.clock(), 86_400))
        expiry = loop.schedule(after: .milliseconds(Int64(seconds * 1000) + 1)) { [weak self] in self?.expire() }
    }

    private func expire() {
        let now = service.clock()
        for channel in channels.values {
            guard let expires = channel.user.expires, expires <= now else { continue }
            end(channel, "Token has expired \(Int(now - expires)) seconds ago")
        }
        armExpiry()
    }
}
