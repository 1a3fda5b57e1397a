import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension APIError {
    /// The error that an answer beyond 299 means.
    init(_ data: Data, _ response: HTTPURLResponse) {
        let body = try? JSONDecoder.swiftlet.decode(ErrorBody.self, from: data)
        let status = body?.status ?? response.statusCode
        let refusal = Refusal(
            status: status,
            code: body?.code,
            message: body?.message,
            requestID: response.value(forHTTPHeaderField: "X-Request-ID") ?? body?.requestID,
            details: body?.details ?? [:]
        )
        switch status {
        case 401: self = .unauthorized(refusal)
        case 403: self = .forbidden(refusal)
        case 404: self = .notFound(refusal)
        case 400 where !refusal.details.isEmpty, 422 where !refusal.details.isEmpty: self = .validation(refusal.details)
        case 409: self = .conflict(refusal)
        case 429: self = .rateLimited(retryAfter: response.retryAfter)
        case 500...: self = .server(requestID: refusal.requestID)
        default: self = .refused(refusal)
        }
    }
}

extension HTTPURLResponse {
    /// The seconds that the server asks to wait, given as a number or as a date (RFC 9110 §10.2.3).
    var retryAfter: TimeInterval? {
        guard let text = value(forHTTPHeaderField: "Retry-After") else { return nil }
        if let seconds = TimeInterval(text.trimmingCharacters(in: .whitespaces)) {
            return seconds.isFinite && seconds >= 0 ? seconds : nil
        }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return formatter.date(from: text).map { max(0, $0.timeIntervalSinceNow) }
    }
}

/// The bodies of all servers that the apps have met: each member is read if it is what it should be, and left out if not.
private struct ErrorBody: Decodable {
    /// Storage answers 400 to everything, and says here what it means.
    let status: Int?
    let code: String?
    let message: String?
    let requestID: String?
    let details: [String: String]

    private enum CodingKeys: String, CodingKey {
        case statusCode, code, errorCode, message, msg, error, errorDescription, requestId, details
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ keys: CodingKeys...) -> String? {
            keys.lazy.compactMap { try? members.decode(String.self, forKey: $0) }.first { !$0.isEmpty }
        }
        status = text(.statusCode).flatMap { Int($0) }
        message = text(.message, .errorDescription, .msg, .error)
        code = text(.code, .errorCode) ?? text(.error)
        requestID = text(.requestId)
        details = (try? members.decode([String: String].self, forKey: .details)) ?? [:]
    }
}
