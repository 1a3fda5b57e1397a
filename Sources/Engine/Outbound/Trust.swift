/// Which certificates are trusted.
package enum Trust: Hashable, Sendable {
    /// Those that the system's authorities have issued for the host.
    case system
    /// Also those of the authorities in this PEM file.
    case systemAnd(file: String)
    /// Any certificate, for health checks of this server.
    case anyone
}
