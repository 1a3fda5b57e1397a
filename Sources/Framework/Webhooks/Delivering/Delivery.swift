import SwiftletPostgres

/// A message to an endpoint, at one of its turns.
struct Delivery: Sendable, Equatable {
    let attempts: Int
    let message: String
    let body: String
    let webhook: Int
    let url: String
    let secret: String
    /// What the receiver may still verify signatures with; nil once it has expired.
    let formerSecret: String?
    let failures: Int
    let isPaused: Bool
    /// Milliseconds until the endpoint may be asked again; not above zero if it may.
    let wait: Int

    enum Admission: Equatable {
        case hold
        case postpone(milliseconds: Int)
        /// It may try whether the endpoint works again, unless another delivery does.
        case probe
        case send
    }

    var admission: Admission {
        if isPaused { return .hold }
        guard failures >= DeliverySchedule.patience else { return .send }
        return wait > 0 ? .postpone(milliseconds: min(wait, 3_600_000)) : .probe
    }
}

extension Delivery {
    /// Throws ``PostgresError``.
    init(_ row: Row) throws {
        attempts = try row.decode(Int.self, "attempts")
        message = try row.decode(String.self, "message")
        body = try row.decode(String.self, "body")
        webhook = try row.decode(Int.self, "webhook")
        url = try row.decode(String.self, "url")
        secret = try row.decode(String.self, "secret")
        formerSecret = try row.decode(String?.self, "former_secret")
        failures = try row.decode(Int.self, "failures")
        isPaused = try row.decode(Bool.self, "is_paused")
        wait = try row.decode(Int.self, "wait")
    }
}
