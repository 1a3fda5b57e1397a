import SwiftletEssentials

/// Payloads as JSON text. Keys are kept as they are, dates are ISO 8601.
enum PayloadText {
    static let maximumBytes = 262_144

    static func encode(_ payload: some Encodable) throws -> String {
        if payload is NoPayload { return "{}" }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let data = try encoder.encode(payload)
        guard data.count <= maximumBytes else { throw JobError.payloadTooLarge(bytes: data.count) }
        return String(decoding: data, as: UTF8.self)
    }

    static func decode<Payload: Decodable>(_ type: Payload.Type, _ text: String) throws -> Payload {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: Data(text.utf8))
    }
}
