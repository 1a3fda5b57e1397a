import Synchronization

/// Which compiled policies have shown that they say what PostgreSQL says. Until then both are asked; one that differs is
/// not used again until the table or its policies change.
final class PolicyTrust: Sendable {
    private struct Contents {
        var proofs: [Key: Proof] = [:]
        var decided = 0
        var asked = 0
    }

    private struct Key: Hashable {
        let text: String
        let version: String
    }

    private struct Proof {
        var compared = 0
        var isRefuted = false
    }

    /// Rows on which both must agree.
    private static let sufficient = 200

    private let contents = Mutex(Contents())

    var counts: (decided: Int, asked: Int) { contents.withLock { ($0.decided, $0.asked) } }

    func count(decided: Int = 0, asked: Int = 0) {
        contents.withLock { contents in
            contents.decided += decided
            contents.asked += asked
        }
    }

    func admits(_ text: String, _ table: TableFacts) -> Bool { proof(text, table)?.isRefuted != true }

    func isProven(_ text: String, _ table: TableFacts) -> Bool {
        (proof(text, table)?.compared ?? 0) >= Self.sufficient
    }

    /// True the first time that they differ.
    func compared(_ text: String, _ table: TableFacts, _ count: Int, isSame: Bool) -> Bool {
        let key = Key(text: text, version: table.version)
        return contents.withLock { contents in
            // What has differed is remembered: it would be compared too little before it is used again.
            if contents.proofs.count > 1000 { contents.proofs = contents.proofs.filter(\.value.isRefuted) }
            var proof = contents.proofs[key] ?? Proof()
            proof.compared += count
            let isNew = !isSame && !proof.isRefuted
            if !isSame { proof.isRefuted = true }
            contents.proofs[key] = proof
            return isNew
        }
    }

    private func proof(_ text: String, _ table: TableFacts) -> Proof? {
        contents.withLock { $0.proofs[Key(text: text, version: table.version)] }
    }
}
