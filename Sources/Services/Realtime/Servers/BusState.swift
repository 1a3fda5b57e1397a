/// What a server knows of the others, and what waits to be said and heard.
struct BusState {
    struct Outgoing {
        let target: ServerID?
        let text: JSONText
    }

    /// What waits while nothing can be sent or heard; then all of it is dropped.
    static let maximumWaitingBytes = 16_777_216

    private(set) var peers: [ServerID: ContinuousClock.Instant] = [:]
    private var outgoing: [Outgoing] = []
    private var outgoingBytes = 0
    private var incoming: [(number: Int, text: String)] = []
    private var incomingBytes = 0
    private var hasConnected = false
    /// nil before the first connection.
    private(set) var isReachable: Bool?
    /// Some that was said has not arrived, so that others have a wrong picture of who is present here.
    private var hasLost = false
    /// Something has come since the last beat: if nothing else, this server's own beat.
    private var hasHeard = false
    /// Some that was heard since the last beat was dropped, and the others were asked, or are to be at the next.
    private var hasOverflowed = false
    private var overflowsAgain = false
    private(set) var lostCount = 0
    /// This server has said that it ends.
    private(set) var hasLeft = false
    /// Others that have, and when: an id is that of one run of a server, so nobody comes back under it.
    private var departed: [ServerID: ContinuousClock.Instant] = [:]
    /// What an other says may overtake its goodbye, but a message older than a minute is not taken any more.
    private static let departureMemory = Duration.seconds(120)
    var seal: BusSeal?
    var clock = BusClock(microseconds: 0, readAt: .now)

    /// Behind the goodbye, broadcasts alone: an answer would bring back there who was present here.
    mutating func say(_ items: [(text: JSONText, isBroadcast: Bool)], to target: ServerID?) {
        queue(items.compactMap { !hasLeft || $0.isBroadcast ? $0.text : nil }, to: target)
    }

    /// The last that is said of who is present here.
    mutating func sayGoodbye(_ text: JSONText) {
        hasLeft = true
        if !peers.isEmpty { queue([text], to: nil) }
    }

    private mutating func queue(_ texts: [JSONText], to target: ServerID?) {
        for text in texts {
            outgoing.append(Outgoing(target: target, text: text))
            outgoingBytes += text.count
        }
        if outgoingBytes > Self.maximumWaitingBytes { lose(takeOutgoing().count) }
    }

    mutating func takeOutgoing() -> [Outgoing] {
        defer { (outgoing, outgoingBytes) = ([], 0) }
        return outgoing
    }

    /// Takes what ``BusSeal`` has opened.
    mutating func hear(_ opened: (number: Int, text: String)) {
        hasHeard = true
        incoming.append(opened)
        incomingBytes += opened.text.utf8.count
        guard incomingBytes > Self.maximumWaitingBytes else { return }
        lostCount += incoming.count
        (incoming, incomingBytes) = ([], 0)
        // As if the connection had been lost: the others are asked who is present with them, once in a beat.
        if hasOverflowed { overflowsAgain = true } else { (hasOverflowed, hasConnected) = (true, true) }
    }

    mutating func takeIncoming() -> (heard: [(number: Int, text: String)], hasConnected: Bool) {
        defer { (incoming, incomingBytes, hasConnected) = ([], 0, false) }
        return (incoming, hasConnected)
    }

    mutating func lose(_ count: Int) {
        hasLost = true
        lostCount += count
    }

    /// A message that no transport takes: saying it again would not help.
    mutating func drop() { lostCount += 1 }

    /// False if that was known.
    mutating func disconnected() -> Bool {
        defer { isReachable = false }
        return isReachable != false
    }

    /// True if it was lost before.
    mutating func connected() -> Bool {
        defer { reached() }
        hasConnected = true
        return isReachable == false
    }

    /// True if others have to be told anew who is present here.
    @discardableResult
    mutating func reached() -> Bool {
        if isReachable == false {
            // While this server hears nothing, the silence of others says nothing about them.
            for server in peers.keys { peers[server] = .now }
        }
        isReachable = true
        defer { hasLost = false }
        return hasLost && !peers.isEmpty
    }

    /// What a message says of its sender.
    enum Sender {
        case known, new
        /// It has said goodbye: the message was on its way before.
        case departed
    }

    mutating func heard(_ server: ServerID) -> Sender {
        if departed[server] != nil { return .departed }
        return peers.updateValue(.now, forKey: server) == nil ? .new : .known
    }

    /// It has said goodbye.
    mutating func depart(_ server: ServerID) {
        peers[server] = nil
        departed[server] = .now
    }

    /// Where the database's time has leapt, as behind a failover, servers do not hear each other until all have read it: as
    /// if messages had been lost.
    mutating func set(_ new: BusClock) {
        if clock.microseconds > 0, abs(clock.now(at: new.readAt) - new.microseconds) > 1_000_000 { hasLost = true }
        clock = new
    }

    /// Nobody may know of this server: its greeting was lost.
    var needsGreeting: Bool { peers.isEmpty && hasLost }

    /// Those who have said nothing for so long, and are forgotten. To be called before each beat is said.
    mutating func beat(silenceLimit: Duration) -> [ServerID] {
        defer { hasHeard = false }
        if overflowsAgain { hasConnected = true }
        departed = departed.filter { $0.value > .now - Self.departureMemory }
        (hasOverflowed, overflowsAgain) = (overflowsAgain, false)
        // What waits may be from those who seem silent, as behind a pause of this process.
        guard isReachable == true, incoming.isEmpty else { return [] }
        guard hasHeard else {
            // Not even its own beat has come back: that says nothing about the others.
            for server in peers.keys { peers[server] = .now }
            return []
        }
        let limit = ContinuousClock.now.advanced(by: .zero - silenceLimit)
        let gone = peers.filter { $0.value < limit }.map(\.key)
        for server in gone { peers[server] = nil }
        return gone
    }
}
