public import ArgumentParser
public import Auth

/// The value of `--tenant`.
extension TenantID: ExpressibleByArgument {}
