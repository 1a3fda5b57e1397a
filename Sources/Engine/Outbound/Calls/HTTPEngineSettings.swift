/// What an ``HTTPEngine`` may do, and how much of it.
package struct HTTPEngineSettings: Sendable {
    package var trust = Trust.system
    /// Whether hosts may have private, link-local and loopback addresses.
    package var allowsPrivateAddresses = false
    /// Whether to use the proxies of the environment (`https_proxy`, `no_proxy`), which are never used for this machine.
    /// A proxy resolves the name itself, so that addresses cannot be checked.
    package var usesProxy = false
    /// Of each loop. Further requests wait for one.
    package var connectionsPerHost = 16
    /// Of each loop, to all hosts, also those that are idle.
    package var keptConnections = 64
    /// How long an idle connection may still be used.
    package var keptSeconds = 118
    /// Of each loop. Further ones are ``HTTPFailure/overloaded``.
    package var maximumRequests = 1024

    package init() {}
}
