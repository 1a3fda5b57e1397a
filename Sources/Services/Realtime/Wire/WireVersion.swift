/// How messages are written: `vsn` of the socket's address.
enum WireVersion: Sendable {
    /// `1.0.0`: objects.
    case objects
    /// `2.0.0`: arrays, and binary frames for broadcasts.
    case arrays

    /// nil for a version that nobody speaks.
    init?(_ text: String?) {
        switch text {
        case nil, "1.0.0": self = .objects
        case "2.0.0": self = .arrays
        default: return nil
        }
    }
}
