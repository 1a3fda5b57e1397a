/// A moment in the history of a database: everything that was committed before it has been written before it.
///
/// A standby that was promoted goes on in a timeline of its own, whose places say nothing of those in the former
/// primary's (PostgreSQL, "Timelines"), so that both count.
package struct WritePosition: Hashable, Comparable, Sendable {
    package let timeline: UInt32
    package let place: LogSequenceNumber

    package init(timeline: UInt32, place: LogSequenceNumber) {
        self.timeline = timeline
        self.place = place
    }

    package static func < (left: WritePosition, right: WritePosition) -> Bool {
        (left.timeline, left.place) < (right.timeline, right.place)
    }

    /// Whether whoever has replayed the log up to here has also replayed it up to `other`.
    package func includes(_ other: WritePosition) -> Bool { timeline >= other.timeline && place >= other.place }
}
