import SwiftletJSON
import SwiftletSignIn

/// What each key of a rotation is for, in words.
struct KeyRotationReport {
    private let rotation: KeyRotation

    init(_ rotation: KeyRotation) { self.rotation = rotation }

    var lines: [String] {
        let (old, new) = (Self.name(rotation.old), Self.name(rotation.new))
        return switch rotation.step {
        case .prepared: ["\(old) signs", "\(new) is new: accepted and published, but does not sign yet"]
        case .switched: ["\(new) signs", "\(old) is old: accepted and published, but does not sign any more"]
        case .retired: ["\(new) signs", "\(old) is retired: its tokens are refused"]
        }
    }

    private static func name(_ key: JSONValue) -> String { (try? SigningKey(jwk: key))?.keyID ?? "-" }
}
