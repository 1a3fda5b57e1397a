import SwiftletAuth

/// What carries texts between the servers of a database. Whatever else can write to it is kept out by ``BusSeal``.
protocol BusTransport: Sendable {
    /// Of one text.
    var maximumBytes: Int { get }
    /// Listens until the task is cancelled; returns at once where it cannot. `key` is the one that the servers share.
    func run(_ key: String, _ onEvent: @escaping @Sendable (BusEvent) -> Void) async
    /// Sends the texts to all servers, this one among them, in this order. Throws if they are lost.
    func send(_ texts: [String]) async throws
    /// Puts aside what has more than ``maximumBytes``, where other servers find it by its number.
    func store(_ content: String) async throws -> Int
    func load(_ number: Int) async -> String?
}

enum BusEvent: Sendable {
    /// It hears from here on. What came before may be lost.
    case connected
    /// It hears nothing until it is connected again. So many texts that were sent have not left.
    case lost(reason: String, unwritten: Int)
    case text(String)
}

/// Why a text is not sent.
enum BusFault: Error, CustomStringConvertible {
    case notConnected
    case tooLong

    var description: String {
        switch self {
        case .notConnected: "there is no connection"
        case .tooLong: "a message is too long"
        }
    }
}
