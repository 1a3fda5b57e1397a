import Postgres

/// What an app tells of the device that it runs on.
struct DeviceForm {
    /// The id that the app has chosen, in lower case; nil if there is none, or it is no UUID.
    let id: String?
    let secret: String?
    let platform: String?
    let model: String?
    let appVersion: String?

    /// Longer texts are refused.
    private static let maximumCharacters = 100

    /// Throws ``SignInError`` 400.
    init(_ fields: Fields) throws(SignInError) {
        id = try fields.either("deviceId", "device_id").flatMap(RandomID.normalised)
        secret = try fields.either("deviceSecret", "device_secret")
        platform = try Self.checked(fields, "platform", "platform")
        model = try Self.checked(fields, "model", "model")
        appVersion = try Self.checked(fields, "appVersion", "app_version")
    }

    private static func checked(_ fields: Fields, _ name: String, _ other: String) throws(SignInError) -> String? {
        guard let text = try fields.either(name, other) else { return nil }
        guard text.count <= maximumCharacters else {
            throw .invalid("\(name) must have at most \(maximumCharacters) characters")
        }
        return text
    }

    func insertion(_ id: String, secretHash: String) -> SQL {
        """
        INSERT INTO devices (id, platform, model, app_version, secret_hash)
        VALUES (\(id)::uuid, \(platform), \(model), \(appVersion), \(secretHash))
        """
    }

    /// What the app tells anew replaces what it has told before.
    func update(_ id: String) -> SQL {
        """
        UPDATE devices SET platform = coalesce(\(platform), platform), model = coalesce(\(model), model),
            app_version = coalesce(\(appVersion), app_version), updated_at = now()
        WHERE id = \(id)::uuid
        """
    }
}

extension Fields {
    /// The member under either name.
    fileprivate func either(_ name: String, _ other: String) throws(SignInError) -> String? {
        if let text = try text(name) { return text }
        return try text(other)
    }
}
