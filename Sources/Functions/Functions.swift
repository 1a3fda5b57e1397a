public import Swiftlet

/// Every function this server offers. The order has no meaning; keep it alphabetical.
public let functions: [Function] = [
    notifications,
    tasks,
]
