import Testing

@testable import SwiftletSignIn

@Suite struct RefreshDecisionTests {
    /// used, child, current, seconds since it was used → decision; the interval is 10 s.
    @Test(
        arguments: [
            (false, nil, "b", 0, .advance),
            (true, "b", "b", 1, .repeatCurrent("b")),
            (true, "b", "b", 1e9, .repeatCurrent("b")),
            (true, nil, "c", 9, .repeatCurrent("c")),
            (true, nil, "c", 11, .stolen),
            (true, nil, nil, 1, .stolen),
        ] as [(Bool, String?, String?, Double, RefreshDecision)]
    )
    func `judges a token with a row`(
        isUsed: Bool,
        child: String?,
        current: String?,
        seconds: Double,
        expected: RefreshDecision
    ) {
        let decision = RefreshDecision(
            isUsed: isUsed,
            child: child,
            current: current,
            secondsSinceUse: seconds,
            reuseInterval: 10
        )
        #expect(decision == expected)
    }

    @Test(
        arguments: [
            (7, 7, 1e9, .advance), (6, 7, 1e9, .repeatCurrent("now")), (5, 7, 9, .repeatCurrent("now")),
            (5, 7, 11, .stolen), (0, 7, 11, .stolen),
        ] as [(Int, Int, Double, RefreshDecision)]
    )
    func `judges a token that counts`(counter: Int, session: Int, seconds: Double, expected: RefreshDecision) {
        let decision = RefreshDecision(
            counter: counter,
            sessionCounter: session,
            current: "now",
            secondsSinceUse: seconds,
            reuseInterval: 10
        )
        #expect(decision == expected)
    }
}
