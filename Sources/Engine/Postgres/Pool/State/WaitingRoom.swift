/// How many may wait for a connection, and who gives way when more want to.
///
/// Each kind of caller keeps a quarter of the room, and whoever comes first has the rest.
struct WaitingRoom {
    /// Who waits.
    enum Kind: CaseIterable {
        /// The server's own functions.
        case own
        case guests
        /// Those who need a connection of their own.
        case leases
    }

    struct Counts {
        var own = 0
        var guests = 0
        var leases = 0

        var total: Int { own + guests + leases }

        subscript(_ kind: Kind) -> Int {
            switch kind {
            case .own: own
            case .guests: guests
            case .leases: leases
            }
        }
    }

    let maximum: Int

    /// What each kind keeps, whoever else waits.
    var guarantee: Int { maximum / 4 }

    /// Who has to give way after one of this kind has come; nil while there is room. It is the newcomer's own kind where
    /// that has more than its guarantee, else the one with most.
    func loser(_ counts: Counts, newcomer: Kind) -> Kind? {
        guard counts.total > maximum else { return nil }
        if counts[newcomer] > guarantee { return newcomer }
        return Kind.allCases.filter { counts[$0] > guarantee }.max { counts[$0] < counts[$1] } ?? newcomer
    }
}
