import SwiftletAuth
public import SwiftletPostgres

/// The verified user of a request, as a statement binds them. Only ``Context/person`` makes one.
public struct PersonID: Hashable, Sendable {
    public let rawValue: String

    /// What a statement that binds it is known by. No tenant's id has control characters.
    fileprivate var mark: String { "person\u{0}\(rawValue)" }
}

/// The device whose session a request has. Only ``Context/device`` makes one.
public struct DeviceID: Hashable, Sendable {
    public let rawValue: String

    fileprivate var mark: String { "device\u{0}\(rawValue)" }
}

extension Context {
    /// The verified user, in a tenant or not. Throws 401 for the keys of the app, which belong to nobody.
    public var person: PersonID {
        get throws(APIError) {
            let user = try user
            guard user.isPerson else { throw APIError.unauthorized }
            return PersonID(rawValue: user.id)
        }
    }

    /// The device of the caller's session, see `POST /devices`. Throws 403 `NO_DEVICE` for all other callers.
    public var device: DeviceID {
        get throws(APIError) {
            let user = try user
            guard user.isPerson else { throw APIError.unauthorized }
            // Other issuers have no devices of ours, whatever they write into their tokens.
            guard !user.isExternal, let device = user.appMetadata["device_id"]?.string, device == user.id else {
                throw APIError(.forbidden, "NO_DEVICE", "This needs the session of a device: POST /devices gives one.")
            }
            return DeviceID(rawValue: device)
        }
    }

    /// The database, for statements that bind this request's ``person``. Throws 401.
    public var personalDatabase: ScopedDatabase {
        get throws(APIError) { ScopedDatabase(context: self, scope: try person.mark, name: "person") }
    }

    /// The database, for statements that bind this request's ``device``. Throws 403 `NO_DEVICE`.
    public var deviceDatabase: ScopedDatabase {
        get throws(APIError) { ScopedDatabase(context: self, scope: try device.mark, name: "device") }
    }
}

extension SQL.StringInterpolation {
    /// Binds the person as a parameter and marks the statement as scoped by them.
    public mutating func appendInterpolation(_ person: PersonID) {
        appendInterpolation(person.rawValue)
        markScope(person.mark)
    }

    /// Binds the device as a parameter and marks the statement as scoped by it.
    public mutating func appendInterpolation(_ device: DeviceID) {
        appendInterpolation(device.rawValue)
        markScope(device.mark)
    }
}
