import SwiftletAuth
import SwiftletBytes
import SwiftletJSON

/// What a channel has told of its client.
struct TrackedPresence {
    let key: String
    let payload: JSONObject
    let ref: String
    /// The payload with its refs.
    let meta: JSONText

    /// `previous` is what it replaces.
    init(key: String, payload: JSONObject, previous: TrackedPresence?) {
        self.key = key
        self.payload = payload
        let random = RandomBytes.identifier()
        ref = Base64URL.encode(bytes(random.0).span)
        var object = payload
        object["phx_ref"] = .string(ref)
        object["phx_ref_prev"] = previous.map { .string($0.ref) }
        meta = JSONText(.object(object))
    }
}

private func bytes(_ word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
}
