import Testing

@testable import SwiftletPostgres

@Suite struct HostResolverTests {
    @Test(arguments: [
        ("host=localhost", true), ("host=10.0.0.1,db", true), ("host=10.0.0.1", false), ("host=::1", false),
        ("host=/tmp", false), ("dbname=x", false), ("host=db hostaddr=10.0.0.1", false),
        ("host=a,db hostaddr=10.0.0.1, port=1", true),
    ])
    func `names need a resolver, numbers and sockets do not`(text: String, isNeeded: Bool) throws {
        #expect(HostResolver.isNeeded(for: try #require(ConnectionSettings(parsing: text))) == isNeeded)
    }

    @Test func `a server that only the environment names is resolved too`() throws {
        let environment = ConnectionSettings(["host": "db", "port": "7", "user": "other"])
        func settings(_ text: String) throws -> ConnectionSettings {
            var settings = try #require(ConnectionSettings(parsing: text))
            settings.nameServers(from: environment)
            return settings
        }
        let named = try settings("postgresql:///app")
        #expect(HostResolver.isNeeded(for: named))
        #expect(HostResolver.expand(named) { _ in ["10.0.0.1", "::1"] }?["port"] == "7,7")
        #expect(named["user"] == nil)
        // The text comes first, and so does a service that it names.
        #expect(try settings("host=/tmp")["host"] == "/tmp")
        #expect(try settings("service=other")["host"] == nil)
    }

    @Test func `a host is tried at each of its addresses, with its own port`() throws {
        let settings = try #require(ConnectionSettings(parsing: "host=db,/tmp,10.0.0.9 port=1,2,3"))
        let expanded = HostResolver.expand(settings) { _ in ["10.0.0.1", "::1"] }
        #expect(expanded?["host"] == "db,db,/tmp,10.0.0.9")
        #expect(expanded?["hostaddr"] == "10.0.0.1,::1,,")
        #expect(expanded?["port"] == "1,1,2,3")
    }

    @Test func `an unknown host leaves the others, or nothing`() throws {
        let settings = try #require(ConnectionSettings(parsing: "host=db,10.0.0.9 port=7"))
        #expect(HostResolver.expand(settings) { _ in [] }?["host"] == "10.0.0.9")
        #expect(HostResolver.expand(try #require(ConnectionSettings(parsing: "host=db"))) { _ in [] } == nil)
    }
}
