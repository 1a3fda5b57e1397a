// Made by `swiftlet generate summaries` from the doc comments beside the routes and their handlers.

/// What `/docs` and `/openapi.json` say of the functions and routes.
let documentation: [String: String] = [
    "GET /poop-logs/stats":
        """
    Sums, and streaks of days on which something was logged, in UTC unless `tz` names another time zone.
    """,
    "poop-logs":
        "What a device has logged. Only the device itself sees it.",
]
