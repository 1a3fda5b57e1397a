public import Swiftlet

/// Logs of devices without an account, under row security.
public let deviceLogs = App(
    "device-logs",
    functions: [poopLogs],
    demoData: [demoDevices],
    summaries: documentation
)
