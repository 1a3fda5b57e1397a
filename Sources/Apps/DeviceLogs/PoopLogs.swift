public import Swiftlet

/// What a device has logged. Only the device itself sees it.
public let poopLogs = Function("poop-logs") {
    Get("/stats", poopStatistics).forPersons().taking(query: ["from": .timestamp, "to": .timestamp, "tz": .text])
        .answering(poopStatisticsSchema).refusing(.forbidden)
    resource.routes()
}

private let resource = Resource("poop_logs", scope: .device) {
    Filter("rating")
    Between("from", "to", on: "logged_at")
    Enumerated("rating", Enumeration("great", "good", "okay", "bad", "terrible"))
    DefaultOrder("-logged_at")
    SoftDelete()
}
