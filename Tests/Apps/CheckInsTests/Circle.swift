import SwiftletAuth
import Swiftlet
@testable import SwiftletCheckIns
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Synchronization
import SwiftletWeb

/// People who look after each other, none of whom has a tenant, and the messages that their devices get.
struct Circle: Sendable {
    let server: TestApplication
    let outbox: Outbox

    /// What was handed to the push service.
    final class Outbox: Sendable {
        private let messages = Mutex<[(message: PushMessage, target: PushTarget)]>([])
        private let answer: @Sendable (PushMessage, PushTarget) -> PushResponse

        init(_ answer: @escaping @Sendable (PushMessage, PushTarget) -> PushResponse) { self.answer = answer }

        var sender: PushSender {
            PushSender { message, target in
                self.messages.withLock { $0.append((message, target)) }
                return self.answer(message, target)
            }
        }

        var tokens: [String] { messages.withLock { $0.map(\.target.token) } }
        var titles: [String] { messages.withLock { $0.map(\.message.title) } }
        var all: [PushMessage] { messages.withLock { $0.map(\.message) } }
    }

    static func with(
        performsJobs: Bool = true,
        values: ContextValues = .soon,
        answer: @escaping @Sendable (PushMessage, PushTarget) -> PushResponse = { _, _ in .accepted },
        _ body: (Circle) async throws -> Void
    ) async throws {
        let outbox = Outbox(answer)
        try await TestApplication.with(
            checkIns.functions,
            performsJobs: performsJobs,
            push: outbox.sender,
            values: values
        ) { server async throws in
            try await body(Circle(server: server, outbox: outbox))
        }
    }

    static func token(_ claims: String) throws -> String {
        try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(claims.utf8))
    }

    func send(
        _ method: SwiftletHTTP.Method,
        _ path: String,
        as person: String,
        _ body: String = "{}"
    ) async throws -> Response {
        let token = try Self.token(#"{"sub":"\#(person)","exp":4000000000}"#)
        return try await server.send(method, path, token: token, method == .get ? "" : body)
    }

    func post(_ path: String, as person: String, _ body: String = "{}") async throws -> JSONValue {
        try JSONParser.parse(try await send(.post, path, as: person, body).body)
    }

    func status(_ path: String, as person: String, _ body: String = "{}") async throws -> Int {
        try await send(.post, path, as: person, body).status.rawValue
    }

    /// Registers a device for each.
    func join(_ people: String...) async throws {
        for person in people {
            let body = #"{"token":"device-of-\#(person)","platform":"ios","environment":"sandbox","app":"example.app"}"#
            _ = try await send(.post, "/push-tokens", as: person, body)
        }
    }

    /// Makes one respond for the other.
    func link(_ person: String, to responder: String) async throws {
        let asked = try await post("/responders", as: person, #"{"userId":"\#(responder)"}"#)
        _ = try await post("/responders/\(asked["id"]?.string ?? "")/accept", as: responder)
    }

    func count(_ rest: String) throws -> Int {
        let rows = try BlockingConnection.connect(to: server.databaseURL).query("SELECT count(*) FROM \(rest)")
        return rows.first?[0].flatMap { Int($0) } ?? -1
    }

    /// Lets the time until all that waits is due go by.
    func letTimePass() throws {
        try server.execute(
            """
            UPDATE check_ins SET last_check_in = last_check_in - interval '1 year',
                next_check_in = least(next_check_in, clock_timestamp() - interval '1 second');
            UPDATE push_messages SET deliver_at = clock_timestamp() WHERE status = 'scheduled';
            UPDATE swiftlet.jobs SET due = clock_timestamp() WHERE worker IS NULL AND due > clock_timestamp()
                AND key IS DISTINCT FROM 'tick';
            NOTIFY swiftlet_jobs
            """
        )
    }
}

extension ContextValues {
    /// Responders are told at once.
    static let soon = ContextValues.soon(.linked)

    static let toAnybody = ContextValues.soon(.any)

    private static func soon(_ reach: PushRecipients.Reach) -> ContextValues {
        var values = ContextValues()
        values[CheckInGrace.self] = .zero
        values[PushRecipients.self] = reach
        return values
    }
}
