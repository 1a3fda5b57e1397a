import Foundation
import SwiftletHTTP
import SwiftletTesting
import SwiftletWeb
import Testing

/// Handlers that return values of their own types, and read those of the path.
@Suite(.needsDatabase, .hangLimit)
struct HandlerValueTests {
    private struct Van: Encodable, Sendable {
        let licensePlate: String
        let servicedAt: Date
        let mileage: Int?
        let photo = "https://example.com/a.jpg"
    }

    private static let serviced = Date(timeIntervalSince1970: 1_763_892_000.75)

    private static let vans = Function("vans") {
        Get { _, _ in [Van(licensePlate: "B-1", servicedAt: serviced, mileage: nil)] }.open()
        Get("/:id", van).open()
        Get("/:id/number") { _, context in
            try [context.parameters.require("id", as: Int.self)]
        }
        .open()
        Get("/:id/misspelt") { _, context in
            try [context.parameters.require("ide", as: String.self)]
        }
        .open()
        Get("/:id/photos/:number", PathParameter<UUID>("id"), PathParameter<Int>("number")) { _, _, id, number in
            ["\(id)", "\(number)"]
        }
        .open()
        Get("/:id/declared") { _, _ in
            try .json(encoding: Van(licensePlate: "B-1", servicedAt: serviced, mileage: 7), .created, keys: .asDeclared)
        }
        .open()
        Get("/:id/infinite") { _, _ in [Double.infinity] }.open()
    }

    @Sendable private static func van(_: Request, _ context: Context) async throws -> Van {
        let id = try context.parameters.require("id", as: UUID.self)
        return Van(licensePlate: id.uuidString, servicedAt: serviced, mileage: 7)
    }

    @Test(
        arguments: [
            (
                "", 200,
                #"[{"license_plate":"B-1","photo":"https://example.com/a.jpg","serviced_at":"2025-11-23T10:00:00Z"}]"#
            ),
            (
                "/1b4e28ba-2fa1-11d2-883f-0016d3cca427", 200,
                #"{"license_plate":"1B4E28BA-2FA1-11D2-883F-0016D3CCA427","mileage":7,"photo":"https://example.com/a.jpg","serviced_at":"2025-11-23T10:00:00Z"}"#
            ),
            ("/12/number", 200, "[12]"),
            (
                "/1b4e28ba-2fa1-11d2-883f-0016d3cca427/photos/3", 200,
                #"["1B4E28BA-2FA1-11D2-883F-0016D3CCA427","3"]"#
            ),
            (
                "/12/declared", 201,
                #"{"licensePlate":"B-1","mileage":7,"photo":"https://example.com/a.jpg","servicedAt":"2025-11-23T10:00:00Z"}"#
            ),
        ]
    )
    func `a value becomes JSON with the names and dates that clients know`(
        path: String,
        status: Int,
        text: String
    ) async throws {
        try await TestApplication.with([Self.vans]) { application in
            let response = try await application.send(.get, "/vans\(path)")
            #expect(response.status.rawValue == status)
            #expect(response.text == text)
            #expect(response.headers[.contentType] == "application/json; charset=utf-8")
        }
    }

    @Test(
        arguments: [
            ("/x", 400, #""id":"must be a UUID""#), ("/9999999999999999999999/number", 400, "must be a whole number"),
            ("/x/misspelt", 500, "INTERNAL"), ("/x/infinite", 500, "INTERNAL"),
        ]
    )
    func `a text that is no such value is the caller's fault, a name that the route lacks is ours`(
        path: String,
        status: Int,
        part: String
    ) async throws {
        try await TestApplication.with([Self.vans]) { application in
            let response = try await application.send(.get, "/vans\(path)")
            #expect(response.status.rawValue == status)
            #expect(response.text.contains(part))
        }
    }

    @Test func `a handler that takes what its path does not have is refused when the server starts`() async throws {
        let function = Function("vans") {
            Get("/:id/photos/:photo", PathParameter<UUID>("id"), PathParameter<Int>("number")) { _, _, _, number in
                Response(status: Status(rawValue: number))
            }
        }
        let fault = DeclarationError.unknownParameter(function: "vans", path: "/vans/:id/photos/:photo", name: "number")
        await #expect(throws: fault) { try await TestApplication.start([function]) }
        #expect(fault.description.contains(":number at /vans/:id/photos/:photo"))
    }

    @Test func `the time of day is the server's`() async throws {
        let function = Function("now") { Get { _, context in [context.now] }.open() }
        let clock = ServerClock(now: { Self.serviced })
        try await TestApplication.with([function], configure: { $0.clock = clock }) { application in
            let response = try await application.send(.get, "/now")
            #expect(response.text == #"["2025-11-23T10:00:00Z"]"#)
        }
    }
}
