import Testing

@testable import SwiftletPostgres

@Suite struct WaitingRoomTests {
    private let room = WaitingRoom(maximum: 16)

    @Test(arguments: [
        ([16, 0, 0], WaitingRoom.Kind.own, nil), ([17, 0, 0], .own, WaitingRoom.Kind.own), ([16, 1, 0], .guests, .own),
        ([12, 5, 0], .guests, .guests), ([1, 12, 4], .own, .guests), ([4, 4, 9], .own, .leases),
        ([4, 9, 4], .leases, .guests), ([0, 0, 17], .leases, .leases),
    ])
    func `who has more than a quarter gives way to who has not`(
        counts: [Int],
        newcomer: WaitingRoom.Kind,
        loser: WaitingRoom.Kind?
    ) {
        let counts = WaitingRoom.Counts(own: counts[0], guests: counts[1], leases: counts[2])
        #expect(room.loser(counts, newcomer: newcomer) == loser)
    }
}
