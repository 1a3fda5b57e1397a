import SwiftletHTTP

/// One request from its arrival until its response is on its way, with what the connection keeps for it meanwhile.
///
/// It cannot be copied, and what ends it takes it: no request is answered twice, and nothing of one is left for the next.
struct Exchange: ~Copyable {
    let request: Request
    /// The content exceeds the limit, and what arrives of it is not read.
    let refusesContent: Bool
    var intake = BodyIntake()
    /// The response that is being produced.
    var streamed: StreamedResponse?

    init(_ request: Request, refusesContent: Bool = false) {
        self.request = request
        self.refusesContent = refusesContent
    }

    var isHead: Bool { request.method == .head }
}

/// The content of a request that is read while it arrives.
struct BodyIntake {
    /// The handler waits for some.
    var isWanted = false
    var hasSentContinue = false
    /// What came since the time limit was moved.
    private var progress = 0

    /// Counts bytes that were handed over; true when they are enough to move the time limit.
    mutating func took(_ count: Int, of enough: Int) -> Bool {
        progress += count
        guard progress >= enough else { return false }
        progress = 0
        return true
    }
}
