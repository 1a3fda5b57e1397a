import SwiftletHTTP
import SwiftletJobs
import SwiftletTesting
import Testing
import SwiftletWeb

/// What is stored, and when.
@Suite(.needsDatabase, .hangLimit)
struct EnqueueTests {
    private struct Refusal: Error {}

    private static func notes(_ diary: Diary) -> Function {
        let write = Job("write") { (note: Note, context: Context) in
            _ = diary.write("\(note.text) for \(try context.user.id) of \(try context.tenant.rawValue)")
        }
        return Function("notes") {
            Post("/now") { request, context in
                try await context.enqueue(write, Note(text: "now"))
                return .success
            }
            Post("/undone") { _, context in
                try await context.transaction { context in
                    try await context.enqueue(write, Note(text: "undone"))
                    throw APIError(.conflict, "NO", "No.")
                }
                return .success
            }
            Post("/once") { request, context in
                let id = try await context.enqueue(write, Note(text: "once"), at: .after(.seconds(3600)), key: "k")
                return .json(["isNew": .bool(id != nil)])
            }
            Post("/replace") { request, context in
                try await context.enqueue(write, Note(text: "replaced"), at: .now, key: "k", replacing: true)
                return .success
            }
            Post("/cancel") { _, context in
                .json(["was": .bool(try await context.cancel(write, key: "k"))])
            }
            Post("/absurd") { request, context in
                try await context.enqueue(write, Note(text: "absurd"), at: .at(request.text))
                return .success
            }
            Post("/large") { _, context in
                try await context.enqueue(write, Note(text: String(repeating: "x", count: 300_000)))
                return .success
            }
            Post("/nobody") { _, context in
                try await context.enqueue(write, Note(text: "nobody"))
                return .success
            }
            .open()
            write
        }
    }

    @Test func `a job works for the user and the tenant that have enqueued it`() async throws {
        let diary = Diary()
        try await Office.with([Self.notes(diary)]) { application async throws in
            #expect(try await application.post("/notes/now") == .ok)
            #expect(try await eventually { diary.all == ["now for ada of acme"] })
            #expect(try await eventually { try application.count("swiftlet.jobs") == 0 })
            #expect(try application.value("SELECT state FROM swiftlet.job_history") == "done")
            #expect(try application.value("SELECT payload FROM swiftlet.job_history") == nil)
        }
    }

    @Test func `a transaction that is undone leaves no job`() async throws {
        try await Office.with([Self.notes(Diary())], performsJobs: false) { application async throws in
            #expect(try await application.post("/notes/undone") == .conflict)
            #expect(try application.count("swiftlet.jobs") == 0)
        }
    }

    @Test func `a key is unique while the job waits, for each tenant`() async throws {
        let diary = Diary()
        try await Office.with([Self.notes(diary)]) { application async throws in
            for tenant in ["acme", "nordlicht"] {
                for isNew in [true, false] {
                    let token = try Office.token(tenant: tenant)
                    let answer = try await application.send(.post, "/notes/once", token: token)
                    #expect(answer.text == #"{"isNew":\#(isNew)}"#)
                }
            }
            #expect(try application.count("swiftlet.jobs") == 2)
            #expect(try await application.post("/notes/replace") == .ok)
            #expect(try await eventually { diary.all == ["replaced for ada of acme"] })
            #expect(try application.count("swiftlet.jobs WHERE tenant = 'nordlicht'") == 1)
        }
    }

    @Test func `a job that waits can be cancelled, but not another tenant's`() async throws {
        try await Office.with([Self.notes(Diary())], performsJobs: false) { application async throws in
            #expect(try await application.post("/notes/once") == .ok)
            for (tenant, answer) in [("nordlicht", "false"), ("acme", "true"), ("acme", "false")] {
                let token = try Office.token(tenant: tenant)
                #expect(
                    try await application.send(.post, "/notes/cancel", token: token).text == #"{"was":\#(answer)}"#
                )
            }
            #expect(try application.count("swiftlet.jobs") == 0)
            #expect(try application.value("SELECT state FROM swiftlet.job_history") == "cancelled")
        }
    }

    @Test(arguments: ["", "soon", "2025-13-01T00:00:00Z", "99999999-01-01", "'; DROP TABLE marks; --"])
    func `a time that is none is refused`(time: String) async throws {
        try await Office.with([Self.notes(Diary())], performsJobs: false) { application async throws in
            #expect(try await application.post("/notes/absurd", time).rawValue >= 400)
            #expect(try application.count("swiftlet.jobs") == 0)
            #expect(try application.count("marks") == 0)
        }
    }

    @Test func `what is too large, or enqueued by nobody, is not stored`() async throws {
        try await Office.with([Self.notes(Diary())], performsJobs: false) { application async throws in
            #expect(try await application.post("/notes/large") == .internalServerError)
            #expect(try await application.send(.post, "/notes/nobody").status == .internalServerError)
            #expect(try application.count("swiftlet.jobs") == 0)
        }
    }

    @Test func `two jobs of one name, and impossible ones, are refused at the start`() throws {
        let twice = Job("twice") { _ in }
        let faults = [
            [Function("a") { twice }, Function("b") { twice }],
            [Function("a") { Every(.zero, "never") { _ in }.acrossTenants() }],
            [Function("a") { Daily(at: "25:00", "late") { _ in }.acrossTenants() }],
            [Function("a") { Job("none") { _ in }.attempting(0) }],
            [Function("a") { Job("") { _ in } }],
        ]
        for functions in faults {
            #expect(throws: JobDeclarationError.self) { try JobRegistry(functions) }
        }
    }
}

extension Request {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
