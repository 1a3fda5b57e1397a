import SwiftletServer

@main struct Work: SwiftletApp {
    let functions = [jobs, messages, tasks]
    let hasMigrations = false
}

private let nothing = Job("nothing") { (_: Nothing, _) in }.acrossTenants()

private struct Nothing: Codable, Sendable {
    var number = 1
}

private let jobs = Function("jobs") {
    Post { _, context in
        try await context.enqueue(nothing, Nothing())
        return .success
    }
    .open()
    nothing
}

/// `POST /messages/N` sends N messages to one device, a hundred at a time, and answers how many were accepted.
private let messages = Function("messages") {
    Post("/:count") { _, context in
        let count = Int(context.parameters["count"]) ?? 0
        let push = try context.push
        let accepted = await withTaskGroup(of: Int.self) { group in
            for lane in 0..<100 {
                group.addTask {
                    var accepted = 0
                    for number in stride(from: lane, to: count, by: 100) {
                        let message = PushMessage(id: "message-\(number)", title: "Visit", body: "at noon")
                        if await push.send(message, to: phone) == .accepted { accepted += 1 }
                    }
                    return accepted
                }
            }
            return await group.reduce(0, +)
        }
        return .json(["accepted": .string("\(accepted)")])
    }
    .open()
}

private let phone = PushTarget(token: "00ff", platform: "ios", environment: "production", app: "", registered: 0)

private let tasks = Function("tasks") {
    Resource("tasks", scope: .tenant).routes()
}
