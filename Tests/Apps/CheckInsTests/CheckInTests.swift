import Swiftlet
import SwiftletCheckIns
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

/// Check-ins and alerts as their app calls them.
@Suite(.needsDatabase, .hangLimit)
struct CheckInTests {
    @Test func `a check-in says when the next one is due`() async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            let none = try await circle.post("/get-check-in-status", as: "ada")
            #expect(
                none == ["lastCheckInTime": nil, "nextCheckInTime": nil, "status": "inactive", "interval": 86_400]
            )
            let first = try await circle.post(
                "/functions/v1/process-check-in",
                as: "ada",
                #"{"nextCheckInInterval":3600}"#
            )
            #expect(first["success"] == true)
            let (last, next) = (try #require(first["lastCheckInTime"]), try #require(first["nextCheckInTime"]))
            #expect(last.string?.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/#) != nil)
            let status = try await circle.post("/get-check-in-status", as: "ada")
            #expect(
                status
                    == ["lastCheckInTime": last, "nextCheckInTime": next, "status": "active", "interval": 3600]
            )
            _ = try await circle.post("/process-check-in", as: "ada", #"{"nextCheckInInterval":90.5}"#)
            #expect(try await circle.post("/get-check-in-status", as: "ada")["interval"] == 90.5)
            #expect(try circle.count("swiftlet.jobs WHERE key = 'check-in:ada'") == 2)
            try circle.letTimePass()
            #expect(try await circle.post("/get-check-in-status", as: "ada")["status"] == "overdue")
            #expect(try await circle.post("/get-check-in-status", as: "bob")["status"] == "inactive")
        }
    }

    @Test(arguments: [
        "{}", #"{"nextCheckInInterval":null}"#, #"{"nextCheckInInterval":"3600"}"#, #"{"nextCheckInInterval":0}"#,
        #"{"nextCheckInInterval":-60}"#, #"{"nextCheckInInterval":59.999}"#, #"{"nextCheckInInterval":31536001}"#,
        #"{"nextCheckInInterval":1e300}"#, #"{"nextCheckInInterval":1e999}"#, #"{"nextCheckInInterval":true}"#,
        #"{"nextCheckInInterval":[60]}"#,
    ])
    func `refuses intervals that are none, and names the field`(body: String) async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            let answer = try await circle.send(.post, "/process-check-in", as: "ada", body)
            #expect(answer.status == .badRequest)
            #expect(answer.text.contains("nextCheckInInterval"))
            #expect(try circle.count("check_ins") == 0)
            #expect(try circle.count("swiftlet.jobs") == 0)
        }
    }

    @Test func `a missed check-in reminds the user and tells each accepted responder once`() async throws {
        try await Circle.with { circle async throws in
            try await circle.join("ada", "bob", "cid", "dan")
            try await circle.link("ada", to: "bob")
            try await circle.link("ada", to: "cid")
            _ = try await circle.post("/responders", as: "ada", #"{"userId":"dan"}"#)
            _ = try await circle.post("/process-check-in", as: "ada", #"{"nextCheckInInterval":60}"#)
            try circle.letTimePass()
            #expect(try await eventually { circle.outbox.tokens.count >= 3 })
            #expect(try await eventually { try circle.count("swiftlet.jobs WHERE key IS DISTINCT FROM 'tick'") == 0 })
            #expect(circle.outbox.tokens.sorted() == ["device-of-ada", "device-of-bob", "device-of-cid"])
            #expect(try circle.count("push_messages WHERE status = 'sent'") == 3)
            #expect(try await circle.post("/get-check-in-status", as: "ada")["status"] == "alert")
            _ = try await circle.post("/process-check-in", as: "ada", #"{"nextCheckInInterval":60}"#)
            #expect(try await circle.post("/get-check-in-status", as: "ada")["status"] == "active")
        }
    }

    @Test func `a check-in that races its deadline on two servers: no false alarm, and one alarm otherwise`()
        async throws
    {
        try await Circle.with { circle async throws in
            try await Circle.second(on: circle) { _ async throws in
                let people = (1...40).map { "person\($0)" }
                let silent = (1...10).map { "silent\($0)" }
                try await circle.join("bob")
                for person in people + silent {
                    try circle.server.execute(
                        """
                        INSERT INTO responders (user_id, responder_id, accepted_at)
                        VALUES ('\(person)', 'bob', clock_timestamp())
                        """
                    )
                    _ = try await circle.post("/process-check-in", as: person, #"{"nextCheckInInterval":60}"#)
                }
                try circle.letTimePass()
                let known = try await withThrowingTaskGroup(of: (String, Int).self) { group in
                    for person in people {
                        group.addTask {
                            let answer = try await circle.status(
                                "/process-check-in",
                                as: person,
                                #"{"nextCheckInInterval":3600}"#
                            )
                            #expect(answer == 200)
                            return (person, try circle.alarms(for: person))
                        }
                    }
                    return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
                }
                let isQuiet = try await eventually(within: .seconds(30)) {
                    try circle.count("swiftlet.jobs WHERE due <= clock_timestamp()") == 0
                }
                #expect(isQuiet)
                for person in people {
                    let alarms = try circle.alarms(for: person)
                    #expect(alarms <= 1)
                    #expect(alarms == known[person], "no alarm after an acknowledged check-in")
                }
                for person in silent { #expect(try circle.alarms(for: person) == 1) }
            }
        }
    }

    @Test func `an alert tells the responders, and there is one at a time`() async throws {
        try await Circle.with { circle async throws in
            try await circle.join("ada", "bob")
            try await circle.link("ada", to: "bob")
            #expect(try await circle.post("/get-active-alert", as: "ada") == .null)
            let alert = try await circle.post("/trigger-alert", as: "ada")
            let id = try #require(alert["alertId"]?.string)
            #expect(alert["status"] == "active")
            #expect(try await circle.post("/get-active-alert", as: "ada") == alert)
            #expect(try await circle.post("/get-active-alert", as: "bob") == .null)
            let again = try await circle.send(.post, "/trigger-alert", as: "ada")
            #expect(again.status == .conflict)
            let error = try JSONParser.parse(again.body)
            #expect(error["code"] == "ALERT_ALREADY_ACTIVE")
            #expect(error["details"]?["alertId"]?.string == id)
            #expect(try await circle.post("/get-check-in-status", as: "ada")["status"] == "alert")
            #expect(try await circle.status("/cancel-alert", as: "bob", #"{"alertId":"\#(id)"}"#) == 404)
            #expect(try await circle.status("/cancel-alert", as: "ada", #"{"alertId":"no"}"#) == 404)
            #expect(try await circle.status("/cancel-alert", as: "ada") == 400)
            #expect(try await circle.post("/cancel-alert", as: "ada", #"{"alertId":"\#(id)"}"#) == ["success": true])
            #expect(try await circle.status("/cancel-alert", as: "ada", #"{"alertId":"\#(id)"}"#) == 409)
            #expect(try await eventually { circle.outbox.tokens == ["device-of-bob"] })
        }
    }

    @Test(arguments: [
        "send-push-notification", "schedule-notification", "cancel-notification", "process-check-in",
        "get-check-in-status", "trigger-alert", "cancel-alert", "get-active-alert", "responders", "push-tokens",
    ])
    func `needs a person: no token and the app's own key get 401`(name: String) async throws {
        try await Circle.with(performsJobs: false) { circle async throws in
            #expect(try await circle.server.send(.post, "/\(name)", "{}").status == .unauthorized)
            let key = try Circle.token(#"{"role":"anon","exp":4000000000}"#)
            #expect(try await circle.server.send(.post, "/\(name)", token: key, "{}").status == .unauthorized)
        }
    }
}

extension Circle {
    /// Another server on the same database.
    fileprivate static func second(on circle: Circle, _ body: (Circle) async throws -> Void) async throws {
        try await TestApplication.with(
            checkIns.functions,
            databaseURL: circle.server.databaseURL,
            performsJobs: true,
            push: circle.outbox.sender,
            values: .soon
        ) { server async throws in
            try await body(Circle(server: server, outbox: circle.outbox))
        }
    }

    fileprivate func alarms(for person: String) throws -> Int {
        try count("push_messages WHERE kind = 'alarm' AND user_id = '\(person)'")
    }
}
