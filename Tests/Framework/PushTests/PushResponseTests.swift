import Testing

@testable import SwiftletPush

/// Every answer that the two services document, and what it means.
@Suite struct PushResponseTests {
    typealias APNsCase = (status: Int, reason: String, expected: APNsResponse.Decision)

    @Test(
        arguments: [
            (200, "", .done(.delivered)),
            (400, "BadDeviceToken", .done(.removeToken("APNs 400 BadDeviceToken"))),
            (400, "DeviceTokenNotForTopic", .done(.removeToken("APNs 400 DeviceTokenNotForTopic"))),
            (400, "IdleTimeout", .done(.retry(after: nil, "APNs 400 IdleTimeout"))),
            (400, "BadCollapseId", .done(.failed("APNs 400 BadCollapseId"))),
            (400, "BadExpirationDate", .done(.failed("APNs 400 BadExpirationDate"))),
            (400, "BadMessageId", .done(.failed("APNs 400 BadMessageId"))),
            (400, "BadPriority", .done(.failed("APNs 400 BadPriority"))),
            (400, "BadTopic", .done(.failed("APNs 400 BadTopic"))),
            (400, "DuplicateHeaders", .done(.failed("APNs 400 DuplicateHeaders"))),
            (400, "InvalidPushType", .done(.failed("APNs 400 InvalidPushType"))),
            (400, "MissingDeviceToken", .done(.failed("APNs 400 MissingDeviceToken"))),
            (400, "MissingTopic", .done(.failed("APNs 400 MissingTopic"))),
            (400, "PayloadEmpty", .done(.failed("APNs 400 PayloadEmpty"))),
            (400, "TopicDisallowed", .done(.failed("APNs 400 TopicDisallowed"))),
            (403, "BadCertificate", .done(.failed("APNs 403 BadCertificate"))),
            (403, "BadEnvironmentKeyInToken", .done(.failed("APNs 403 BadEnvironmentKeyInToken"))),
            (403, "ExpiredProviderToken", .renewProviderToken),
            (403, "Forbidden", .done(.failed("APNs 403 Forbidden"))),
            (403, "InvalidProviderToken", .done(.failed("APNs 403 InvalidProviderToken"))),
            (403, "MissingProviderToken", .done(.failed("APNs 403 MissingProviderToken"))),
            (404, "BadPath", .done(.failed("APNs 404 BadPath"))),
            (405, "MethodNotAllowed", .done(.failed("APNs 405 MethodNotAllowed"))),
            (410, "ExpiredToken", .done(.removeToken("APNs 410 ExpiredToken"))),
            (410, "Unregistered", .done(.removeToken("APNs 410 Unregistered"))),
            (413, "PayloadTooLarge", .done(.failed("APNs 413 PayloadTooLarge"))),
            (429, "TooManyProviderTokenUpdates", .done(.retry(after: nil, "APNs 429 TooManyProviderTokenUpdates"))),
            (429, "TooManyRequests", .done(.retry(after: nil, "APNs 429 TooManyRequests"))),
            (500, "InternalServerError", .done(.retry(after: nil, "APNs 500 InternalServerError"))),
            (503, "ServiceUnavailable", .done(.retry(after: nil, "APNs 503 ServiceUnavailable"))),
            (503, "Shutdown", .done(.retry(after: nil, "APNs 503 Shutdown"))),
            (502, "", .done(.retry(after: nil, "APNs 502"))),
        ] as [APNsCase]
    )
    func `APNs`(one: APNsCase) {
        #expect(APNsResponse(status: one.status, reason: one.reason).decision(registeredAt: 0) == one.expected)
    }

    @Test func `a token that was registered after it had become invalid stays`() {
        let answer = APNsResponse(status: 410, reason: "Unregistered", invalidSince: 1_000)
        #expect(answer.decision(registeredAt: 1_001) == .done(.retry(after: nil, "APNs 410 Unregistered")))
        #expect(answer.decision(registeredAt: 1_000) == .done(.removeToken("APNs 410 Unregistered")))
    }

    typealias FCMCase = (status: Int, code: String, expected: FCMResponse.Decision)

    @Test(
        arguments: [
            (200, "", .done(.delivered)),
            (400, "INVALID_ARGUMENT", .done(.failed("FCM 400 INVALID_ARGUMENT"))),
            (401, "THIRD_PARTY_AUTH_ERROR", .done(.failed("FCM 401 THIRD_PARTY_AUTH_ERROR"))),
            (401, "UNAUTHENTICATED", .renewAccessToken),
            (403, "SENDER_ID_MISMATCH", .done(.failed("FCM 403 SENDER_ID_MISMATCH"))),
            (403, "PERMISSION_DENIED", .done(.failed("FCM 403 PERMISSION_DENIED"))),
            (404, "UNREGISTERED", .done(.removeToken("FCM 404 UNREGISTERED"))),
            (404, "NOT_FOUND", .done(.failed("FCM 404 NOT_FOUND"))),
            (429, "QUOTA_EXCEEDED", .done(.retry(after: .seconds(60), "FCM 429 QUOTA_EXCEEDED"))),
            (500, "INTERNAL", .done(.retry(after: nil, "FCM 500 INTERNAL"))),
            (503, "UNAVAILABLE", .done(.retry(after: nil, "FCM 503 UNAVAILABLE"))),
        ] as [FCMCase]
    )
    func `FCM`(one: FCMCase) {
        #expect(FCMResponse(status: one.status, code: one.code).decision == one.expected)
    }

    @Test(arguments: [200, 400, 404, 502]) func `FCM answering HTML is asked again later`(status: Int) {
        let answer = FCMResponse(status: status, code: "", isJSON: false, retryAfter: .seconds(7))
        #expect(answer.decision == .done(.retry(after: .seconds(7), "FCM \(status), not in JSON")))
    }
}
