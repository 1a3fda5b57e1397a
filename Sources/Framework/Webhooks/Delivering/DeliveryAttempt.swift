import SwiftletOutbound
import SwiftletWeb

/// What came of one attempt, and what follows from it.
struct DeliveryAttempt: Sendable, Equatable {
    var status: Int?
    /// The beginning of the answer.
    var answer: String?
    var error: String?
    var milliseconds: Int
    /// As the endpoint asks for.
    var retryAfter: Duration?
    /// No other attempt can have another result.
    var isFinal = false

    static let maximumAnswerBytes = 1024

    /// The endpoint has taken the message.
    var isSuccess: Bool { status.map { (200..<300).contains($0) } ?? false }

    /// The endpoint wants no messages any more (Standard Webhooks).
    var isGone: Bool { status == 410 }

    init(_ head: HTTPResponse, body: [UInt8], milliseconds: Int) {
        status = head.status
        // A cut may be within a character.
        let text = String(decoding: body.prefix(Self.maximumAnswerBytes), as: UTF8.self)
        answer = text.isEmpty ? nil : text.withoutControls
        error = (200..<300).contains(head.status) ? nil : "it answers \(head.status)"
        self.milliseconds = milliseconds
        retryAfter = [429, 503].contains(head.status) ? head.retryAfter : nil
    }

    init(_ failure: HTTPFailure, milliseconds: Int) {
        self.milliseconds = milliseconds
        switch failure {
        case .refusedAddress:
            error = "the host has a private address, see WEBHOOK_ALLOW_PRIVATE"
            isFinal = true
        case .badAddress:
            error = failure.description
            isFinal = true
        default: error = failure.description
        }
    }
}
