/// Whose certificates count.
package enum Trust: Hashable, Sendable {
    /// The certificate must be good for the host, by the system's authorities.
    case system
    /// As ``system``, and by the authorities in this PEM file beside the system's directory of them.
    case systemAnd(file: String)
    /// Any certificate: to ask whether our own server is up.
    case anyone
}
