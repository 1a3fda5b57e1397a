import Swiftlet
import SwiftletBusiness
import SwiftletHTTP
import SwiftletJSON
import SwiftletStorage
import SwiftletTesting
import SwiftletWeb

/// Two tenants on one database, and a caller in each.
struct Shop: Sendable {
    let server: TestApplication
    let alice: Caller
    let bob: Caller

    typealias Caller = TestCaller

    static func with(storage: ObjectStorage? = nil, _ body: (Shop) async throws -> Void) async throws {
        try await TestApplication.with(business.functions, storage: storage) { server in
            let shop = Shop(
                server: server,
                alice: Caller(server: server, token: try TestApplication.token(tenant: "tenant-a", user: "alice")),
                bob: Caller(server: server, token: try TestApplication.token(tenant: "tenant-b", user: "bob"))
            )
            try await body(shop)
        }
    }
}

extension TestCaller {
    /// Makes a task and returns its id.
    func makeTask(_ title: String = "Call back", _ more: String = "") async throws -> String {
        let task = try await json(.post, "/tasks", #"{"title":"\#(title)"\#(more)}"#)
        return task["id"]?.string ?? ""
    }
}
