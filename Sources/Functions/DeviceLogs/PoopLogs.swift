public import Swiftlet

/// What a device has logged. Only the device itself sees it.
public let poopLogs = Function("poop-logs") {
    get("/stats", poopStatistics).forPersons().taking(query: ["from": .timestamp, "to": .timestamp])
        .answering(poopStatisticsShape).refusing(.forbidden)
    resource.routes()
}

private let resource = Resource("poop_logs", scope: .device) {
    filter("rating")
    between("from", "to", on: "logged_at")
    enumeration("rating", Enumeration("great", "good", "okay", "bad", "terrible"))
    order("-logged_at")
    softDelete()
}
