/// The payload of the job that delivers: an attempt of a delivery, which the database holds.
package struct QueuedDelivery: Codable, Sendable, Equatable {
    var delivery: Int
    var turn: Int
}
