import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// What an app tells of the device that it runs on, in camelCase or snake_case.
struct DeviceForm: Sendable {
    /// The id that the app has chosen, in lower case; nil if there is none.
    let id: String?
    let secret: String?
    let platform: String?
    let model: String?
    let appVersion: String?

    /// Longer texts are refused. A character may have many bytes, but those of people have few.
    private static let maximumCharacters = 100
    private static let maximumBytes = 1000

    /// Throws ``APIError`` 400 that names every field at fault.
    init(_ body: JSONObject) throws(APIError) {
        var faults: [String: String] = [:]
        func text(_ name: String, _ other: String) -> String? {
            guard let value = body[name] ?? body[other], !value.isNull else { return nil }
            guard let text = value.string else {
                faults[name] = "must be a string"
                return nil
            }
            if text.utf8.count > Self.maximumBytes || text.count > Self.maximumCharacters {
                faults[name] = "must have at most \(Self.maximumCharacters) characters"
            } else if text.utf8.contains(0) {
                faults[name] = "must not contain U+0000"
            }
            return text.isEmpty ? nil : text
        }
        let sent = text("deviceId", "device_id")
        id = sent.flatMap(RandomID.normalized)
        if sent != nil, id == nil, faults["deviceId"] == nil { faults["deviceId"] = "must be a UUID" }
        secret = text("deviceSecret", "device_secret")
        platform = text("platform", "platform")
        model = text("model", "model")
        appVersion = text("appVersion", "app_version")
        guard faults.isEmpty else { throw .validation(faults) }
    }

    func insertion(_ id: String, secretHash: String) -> SQL {
        """
        INSERT INTO devices (id, platform, model, app_version, secret_hash)
        VALUES (\(id)::uuid, \(platform), \(model), \(appVersion), \(secretHash))
        """
    }

    /// What the app tells anew replaces what it has told before.
    var assignments: SQL {
        """
        platform = coalesce(\(platform), platform), model = coalesce(\(model), model),
            app_version = coalesce(\(appVersion), app_version), updated_at = now()
        """
    }
}
