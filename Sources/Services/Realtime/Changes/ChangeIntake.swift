/// Holds changes back until the client knows their ids. Used on the channel's loop only.
final class ChangeIntake {
    private var waiting: [(ids: [Int], data: JSONText)] = []
    private weak var channel: JoinedChannel?

    func push(_ ids: [Int], _ data: JSONText) {
        if let channel { channel.pushChange(ids, data) } else { waiting.append((ids, data)) }
    }

    /// What was committed between two changes is lost: the client has to read its rows anew. Before it has joined, it
    /// reads them anyway.
    func reset() {
        channel?.pushSystem("postgres_changes", isOK: false, "Changes were lost: read the rows anew")
    }

    /// The answer to the join is on its way.
    func open(to channel: JoinedChannel) {
        self.channel = channel
        for (ids, data) in waiting { channel.pushChange(ids, data) }
        waiting = []
    }
}
