import SwiftletJSON
import SwiftletWeb

/// One change of a row that an app has made, with its number in the app's queue.
struct SyncMutation: Sendable {
    enum Operation: String, Sendable {
        case insert, update, delete
    }

    /// Numbers of other languages are exact up to it.
    static let maximumID = 1 << 53

    let id: Int
    let table: String
    /// nil when it is none of the three.
    let operation: Operation?
    let key: JSONObject
    let values: JSONObject
    /// What columns must be for it to be applied; nil if that does not matter.
    let expected: JSONObject?
    /// Tells it from another of the same number.
    let digest: String

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.int, id > 0, id <= Self.maximumID else { return nil }
        self.id = id
        table = json["table"]?.string ?? ""
        operation = json["op"]?.string.flatMap(Operation.init)
        key = json["key"]?.object ?? [:]
        values = json["values"]?.object ?? [:]
        expected = json["if"]?.object
        digest = Fingerprint.of(json.description)
    }
}

/// The front of an app's queue: changes whose numbers follow each other.
struct SyncBatch: Sendable {
    static let maximumMutations = 100

    /// A UUID, in lower case.
    let client: String
    let mutations: [SyncMutation]

    init(_ body: [UInt8]) throws {
        let json: JSONValue
        do {
            json = try JSONParser.parse(body)
        } catch {
            throw APIError.invalidJSON("\(error.reason)")
        }
        guard let client = json["client_id"]?.string.flatMap(Self.uuid) else {
            throw APIError.validation(["client_id": "must be a UUID"])
        }
        guard let list = json["mutations"]?.array, !list.isEmpty, list.count <= Self.maximumMutations else {
            throw APIError.validation(["mutations": "must be 1 to \(Self.maximumMutations)"])
        }
        let mutations = list.compactMap { SyncMutation($0) }
        guard mutations.count == list.count, zip(mutations, mutations.dropFirst()).allSatisfy({ $0.id + 1 == $1.id })
        else { throw APIError.validation(["mutations": "must have ids that follow each other"]) }
        self.client = client
        self.mutations = mutations
    }

    /// The canonical form of a UUID; nil for any other text.
    static func uuid(_ text: String) -> String? {
        let bytes = Array(text.lowercased().utf8)
        guard bytes.count == 36 else { return nil }
        for (index, byte) in bytes.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
                else { return nil }
            }
        }
        return text.lowercased()
    }
}

/// What became of a mutation.
struct SyncOutcome: Sendable {
    enum Status: String, Sendable {
        case applied
        /// The database refuses it: a constraint, a policy, or a value that is none.
        case rejected
        /// The row is not as the app took it to be, or not there.
        case conflict
    }

    let id: Int
    var status: Status
    /// SQLSTATE and the text for it, of those that were not applied.
    var code = ""
    var message = ""

    init(_ id: Int, _ status: Status, code: String = "", message: String = "") {
        self.id = id
        self.status = status
        self.code = code
        self.message = message
    }

    init?(_ json: JSONValue) {
        guard let id = json["id"]?.int, let status = json["status"]?.string.flatMap(Status.init) else { return nil }
        self.init(id, status, code: json["code"]?.string ?? "", message: json["message"]?.string ?? "")
    }

    var json: JSONValue {
        .object([
            "id": .number(JSONNumber(id)), "status": .string(status.rawValue), "code": .string(code),
            "message": .string(message),
        ])
    }
}
