import SwiftletEssentials
import SwiftletWeb

/// What an endpoint gets of a function's event, in the form that Standard Webhooks recommends.
struct EventBody<Payload: Encodable>: Encodable {
    private let type: String
    private let timestamp: String
    private let tenant: String?
    private let data: Payload
}

extension EventBody {
    /// Keys are kept as they are, dates are ISO 8601. Throws ``WebhookError`` and `EncodingError`.
    static func encode(
        _ event: EventName,
        tenant: String?,
        _ payload: Payload,
        at milliseconds: Int
    ) throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let time = UTCTime(milliseconds: milliseconds).text
        let body = EventBody(type: event.rawValue, timestamp: time, tenant: tenant, data: payload)
        let data = try encoder.encode(body)
        guard data.count <= WebhookError.maximumBytes else { throw WebhookError.payloadTooLarge(bytes: data.count) }
        return String(decoding: data, as: UTF8.self)
    }
}
