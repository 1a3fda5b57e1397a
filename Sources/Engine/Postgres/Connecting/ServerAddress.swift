/// One of the servers in a connection string; empty texts stand for libpq's defaults.
struct ServerAddress: Equatable {
    /// A name, an address or a socket's folder.
    var host = ""
    /// The address of a host, if it needs no resolver.
    var address = ""
    var port = ""

    /// Whether this entry of a list stands for a server that libpq has tried, for which it fills in its defaults.
    func stands(for tried: ServerAddress) -> Bool {
        // Without a host, libpq gives the address for it.
        (host.isEmpty ? address : host) == tried.host && (address.isEmpty || address == tried.address)
            && (port.isEmpty || port == tried.port)
    }
}
