import Testing

@testable import SwiftletPostgres

@Suite struct ConnectionSettingsTests {
    private func settings(_ text: String) throws -> ConnectionSettings {
        try #require(ConnectionSettings(parsing: text))
    }

    @Test func `a URI and its key=value form say the same`() throws {
        let uri = try settings("postgresql://ann:p%40ss@a:1,b:2/tasks?sslmode=require")
        let words = try settings("user=ann password=p@ss host=a,b port=1,2 dbname=tasks sslmode=require")
        for keyword in ["user", "password", "host", "port", "dbname", "sslmode"] {
            #expect(uri[keyword] != nil)
            #expect(uri[keyword] == words[keyword])
        }
        #expect(uri.servers == [ServerAddress(host: "a", port: "1"), ServerAddress(host: "b", port: "2")])
    }

    @Test(arguments: ["postgresql://[", "nonsense", "unknown=1"])
    func `what libpq does not understand is refused`(text: String) {
        #expect(ConnectionSettings(parsing: text) == nil)
    }

    @Test(arguments: [
        (0, "a,b,c", "1,2,3"), (1, "b,c,a", "2,3,1"), (2, "c,a,b", "3,1,2"), (3, "a,b,c", "1,2,3"),
    ])
    func `each attempt begins with another host and its port`(turns: Int, hosts: String, ports: String) throws {
        let rotated = try settings("host=a,b,c port=1,2,3").rotated(by: turns)
        #expect(rotated["host"] == hosts)
        #expect(rotated["port"] == ports)
    }

    @Test func `a port for all hosts stays when they take turns`() throws {
        let rotated = try settings("host=a,b port=5432").rotated(by: 1)
        #expect(rotated["host"] == "b,a")
        #expect(rotated["port"] == "5432,5432")
    }

    @Test(arguments: [
        ("host=a,b,c port=1,2,3", "b", "", "2", "c", "3"),
        ("host=a,b port=5432", "a", "", "5432", "b", "5432"),
        ("host=a,a port=,7", "a", "", "5432", "a", "7"),
        ("host=d,d hostaddr=10.0.0.1,10.0.0.2 port=1,1", "d", "10.0.0.1", "1", "d", "1"),
        // Without a host, libpq tells the address for it.
        ("hostaddr=10.0.0.1,10.0.0.2 port=1", "10.0.0.1", "10.0.0.1", "1", nil, "1"),
    ])
    func `the list goes on behind the host that was tried`(
        text: String,
        host: String,
        address: String,
        port: String,
        nextHosts: String?,
        nextPorts: String
    ) throws {
        let rest = try #require(settings(text).following(ServerAddress(host: host, address: address, port: port)))
        #expect(rest["host"] == nextHosts)
        #expect(rest["port"] == nextPorts)
        #expect(rest["hostaddr"] == (address.isEmpty ? nil : "10.0.0.2"))
    }

    @Test(arguments: ["host=a,b,c port=1,2", "host=a,b hostaddr=10.0.0.1", "host=a hostaddr=10.0.0.1,10.0.0.2"])
    func `lists that do not match stay as they are, for libpq to refuse`(text: String) throws {
        let settings = try settings(text)
        #expect(settings.rotated(by: 1) == settings)
    }

    @Test(arguments: [("b", "2"), ("x", "1")])
    func `behind the last host, or one that is not in the list, there is nothing`(host: String, port: String) throws {
        #expect(try settings("host=a,b port=1,2").following(ServerAddress(host: host, port: port)) == nil)
    }

    @Test func `the user's options come after our limits`() throws {
        var configuration = DatabaseConfiguration(url: "")
        configuration.statementTimeout = .milliseconds(1500)
        configuration.lockTimeout = .milliseconds(300)
        let session = try settings("host=a options='-c statement_timeout=5'").forSession(configuration)
        let ours = "-c statement_timeout=1500 -c lock_timeout=300 -c quote_all_identifiers=off"
        #expect(session["options"] == "\(ours) -c statement_timeout=5")
        #expect(session["client_encoding"] == "UTF8")
    }

    @Test(arguments: [
        ("host=a,b", "primary"), ("host=a,b target_session_attrs=any", "any"), ("host=a", nil),
    ])
    func `changes of rows are read on the primary of several hosts`(text: String, attributes: String?) throws {
        #expect(try settings(text).forReplication()["target_session_attrs"] == attributes)
        #expect(try settings(text).onPrimary()["target_session_attrs"] == attributes)
    }

    @Test func `a transaction pooler gets no options from us, and the user's keepalives stay`() throws {
        var configuration = DatabaseConfiguration(url: "")
        configuration.isPrepared = false
        let session = try settings("host=a keepalives_idle=7").forSession(configuration)
        #expect(session["options"] == nil)
        #expect(session["keepalives_idle"] == "7")
        #expect(session["keepalives_count"] == "3")
    }
}
