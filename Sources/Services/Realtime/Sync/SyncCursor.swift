import SwiftletBytes
import SwiftletJSON

/// How far a copy has come: the log's position, and the tables that it has whole, with what their rows depended on.
///
/// Clients send it back as they got it. It is not signed: whoever changes it only changes what they are told of the rows
/// that they may see.
struct SyncCursor: Equatable, Sendable {
    /// A table that is being read from its start.
    struct Reading: Equatable, Sendable {
        let table: String
        let version: String
        /// The key behind which the next page begins.
        let key: JSONObject
    }

    var position: ChangePosition
    /// The version of each table that is complete, by the name that the client uses.
    var complete: [String: String] = [:]
    var reading: Reading?

    static let maximumBytes = 8192

    /// How long it may be in a request for these tables: servers and what is before them take request lines of 8 KiB.
    static func room(_ tables: [String]) -> Int {
        let others = 256
        return tables.reduce(maximumBytes - others) { room, name in
            // As it is encoded at worst, with a comma.
            name.utf8.reduce(room - 3) { room, byte in
                room - ((0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F ? 1 : 3)
            }
        }
    }

    init(position: ChangePosition) { self.position = position }
}

extension SyncCursor: LosslessStringConvertible {
    init?(_ description: String) {
        guard description.utf8.count <= Self.maximumBytes, let bytes = Base64URL.decode(description),
            let json = try? JSONParser.parse(bytes), let position = json["p"]?.string.flatMap(ChangePosition.init)
        else { return nil }
        self.position = position
        for (name, version) in json["t"]?.object ?? [:] { complete[name] = version.string }
        if let table = json["r"]?.string, let version = json["v"]?.string, let key = json["k"]?.object {
            reading = Reading(table: table, version: version, key: key)
        }
    }

    var description: String {
        var json = JSONWriter()
        json.object { json in
            json.member("p", position.description)
            json.key("t")
            json.object { json in
                for (name, version) in complete.sorted(by: { $0.key < $1.key }) {
                    json.key(name)
                    json.write(version)
                }
            }
            if let reading {
                json.member("r", reading.table)
                json.member("v", reading.version)
                json.key("k")
                json.write(reading.key)
            }
        }
        let bytes = json.finish()
        return Base64URL.encode(bytes.span)
    }
}
