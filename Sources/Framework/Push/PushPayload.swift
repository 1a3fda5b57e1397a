import SwiftletJSON

/// The bodies that the services take.
package enum PushPayload {
    /// Apple's limit, and Google's.
    package static let maximumBytes = 4096

    package struct TooLarge: Error, Hashable, Sendable, CustomStringConvertible {
        package let bytes: Int
        package var description: String { "the message has \(bytes) bytes, at most \(maximumBytes) are allowed" }
    }

    /// Apple's: `aps` beside the app's data, whose own `aps` gives way.
    package static func apns(_ notification: PushNotification) throws(TooLarge) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.key("aps")
            json.object { json in
                json.key("alert")
                json.object { json in
                    json.member("title", notification.title)
                    json.member("body", notification.body)
                }
                if let badge = notification.badge { json.member("badge", badge) }
                if let sound = notification.sound { json.member("sound", sound) }
            }
            for (name, value) in notification.data.sorted(by: { $0.key < $1.key }) where name != "aps" {
                json.key(name)
                json.write(value)
            }
        }
        return try checked(json.finish())
    }

    /// Google's; the limit is for the message without its token. Keys of the app's data that Google has reserved give
    /// way, as it would refuse the message.
    package static func fcm(
        _ notification: PushNotification,
        token: String,
        now: Int
    ) throws(TooLarge) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.key("message")
            json.object { json in
                json.member("token", token)
                json.key("notification")
                json.object { json in
                    json.member("title", notification.title)
                    json.member("body", notification.body)
                }
                let data = notification.data.filter { !isReserved($0.key) }
                if !data.isEmpty {
                    json.key("data")
                    json.object { json in
                        for (name, value) in data.sorted(by: { $0.key < $1.key }) {
                            json.key(name)
                            json.write(value)
                        }
                    }
                }
                json.key("android")
                json.object { json in
                    json.member("priority", notification.isUrgent ? "HIGH" : "NORMAL")
                    if let collapseID = notification.collapseID { json.member("collapse_key", collapseID) }
                    if let expiresAt = notification.expiresAt {
                        json.member("ttl", "\(max(0, min(expiresAt - now, maximumSecondsOfFCM)))s")
                    }
                }
            }
        }
        let body = json.finish()
        _ = try checked(Array(body.dropLast(min(body.count, token.utf8.count))))
        return body
    }

    /// Apple keeps no message for longer.
    static let maximumSeconds = 30 * 86_400
    /// Google neither (FCM, "Set and manage the lifespan of a message").
    private static let maximumSecondsOfFCM = 28 * 86_400

    private static func isReserved(_ name: String) -> Bool {
        name == "from" || name == "message_type" || name.hasPrefix("google") || name.hasPrefix("gcm")
    }

    private static func checked(_ body: [UInt8]) throws(TooLarge) -> [UInt8] {
        guard body.count <= maximumBytes else { throw TooLarge(bytes: body.count) }
        return body
    }
}
