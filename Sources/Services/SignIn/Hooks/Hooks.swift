import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletPostgres
import SwiftletWeb

/// Asks the operator's hooks. A hook that fails, is slow or answers nonsense refuses: what it decides is about rights.
struct Hooks: Sendable {
    private let points: [Hook.Point: Hook]
    private var database: AccountDatabase
    private let service: HookService?
    private let clock: ServerClock

    private let functionLimit: Duration

    init(
        _ points: [Hook.Point: Hook],
        _ database: AccountDatabase,
        _ http: HTTPEngine?,
        _ limits: HookLimits,
        clock: ServerClock
    ) {
        self.points = points
        self.database = database
        functionLimit = limits.function
        service = http.map { HookService($0, timeout: limits.service, clock: clock) }
        self.clock = clock
    }

    /// See ``AccountDatabase/count(in:)``.
    mutating func count(in context: Context) { database.count(in: context) }

    func has(_ point: Hook.Point) -> Bool { points[point] != nil }

    /// The hook's answer; nil if there is no hook. Throws ``SignInError`` for its refusal, with its status and message.
    func ask(_ point: Hook.Point, _ payload: JSONObject, from address: String = "") async throws -> JSONValue? {
        guard let hook = points[point] else { return nil }
        do {
            return try await answer(hook, point, payload, from: address, id: RandomID.make())
        } catch let status as HookStatus {
            throw SignInError.hookFailed("it answers \(status.code)")
        }
    }

    /// Has the hook send something. A service that sees an `id` again has been asked before, and its answer was lost.
    ///
    /// Throws ``OutboundError`` if it was not sent, without the hook's own words, which may repeat what it was sent.
    /// One that refuses, or whose answer is nonsense, is not asked again: what it was to send may be on its way.
    func send(_ point: Hook.Point, _ payload: JSONObject, id: String) async throws {
        guard let hook = points[point] else { throw OutboundError("there is no hook", isTemporary: false) }
        func failure(_ status: Int, _ text: String, isTemporary: Bool = false) -> OutboundError {
            OutboundError("the hook answers \(text)", isTemporary: isTemporary || status >= 500 || status == 429)
        }
        do {
            _ = try await answer(hook, point, payload, from: "", id: id)
        } catch let status as HookStatus {
            throw failure(status.code, "\(status.code)")
        } catch let error as SignInError {
            let status = error.status.rawValue
            throw failure(
                status,
                "\(status) \(error.code.rawValue)",
                isTemporary: [.hookTimeout, .hookTimeoutAfterRetry].contains(error.code)
            )
        }
    }

    private func answer(
        _ hook: Hook,
        _ point: Hook.Point,
        _ payload: JSONObject,
        from address: String,
        id: String
    ) async throws -> JSONValue {
        var payload = payload
        payload["metadata"] = [
            "uuid": .string(RandomID.make()), "name": .string(point.rawValue), "ip_address": .string(address),
            "time": .string(UTCTime(milliseconds: clock.milliseconds()).text),
        ]
        let answer: JSONValue
        switch hook {
        case .function(let schema, let name):
            answer = try await call("\"\(schema)\".\"\(name)\"", payload)
        case .service(let url, let keys):
            guard let service else { throw SignInError.hookFailed("no HTTP client") }
            answer = try await service.ask(url, keys, payload, id: id)
        }
        if let error = answer["error"], !error.isNull { throw SignInError(hook: error) }
        return answer
    }

    private func call(_ function: String, _ payload: JSONObject) async throws -> JSONValue {
        let text = JSONValue.object(payload).description
        let milliseconds = String(Int(functionLimit / .milliseconds(1)))
        do {
            return try await database.transaction { transaction in
                let rows = try await transaction.queryAll([
                    "SELECT set_config('statement_timeout', \(milliseconds), true)",
                    "SELECT \(SQL(text: function))(\(text))::text AS answer",
                ])
                guard let answer = rows.last?.first?["answer"], !answer.isEmpty else { return .object([:]) }
                return try JSONParser.parse(Array(answer.utf8))
            }
        } catch let error as PostgresError where error.kind == .server {
            throw SignInError.hookFailed(error.state == .queryCancelled ? "it took too long" : "it failed")
        } catch is JSONError {
            throw SignInError.hookFailed("its answer is no JSON")
        }
    }
}

extension SignInError {
    static func hookFailed(_ reason: String) -> SignInError {
        SignInError(.internalServerError, "unexpected_failure", "Error running hook: \(reason)")
    }

    /// `{"http_code","message"}`, a status of 400 to 599.
    fileprivate init(hook error: JSONValue) {
        let code = error["http_code"]?.int ?? 500
        let status = (400...599).contains(code) ? code : 500
        let message = String((error["message"]?.string ?? error.string ?? "The hook refuses").prefix(1000))
        self.init(Status(rawValue: status), status == 500 ? "unexpected_failure" : "unknown", message)
    }
}
