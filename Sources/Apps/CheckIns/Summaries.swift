// Made by `swiftlet generate summaries` from the doc comments beside the routes and their handlers.

/// What `/docs` and `/openapi.json` say of the functions and routes.
let documentation: [String: String] = [
    "DELETE /push-tokens/:token":
        "Forgets a device.",
    "DELETE /responders/:id":
        "Ends it, from either side.",
    "GET /push-tokens":
        "Lists the devices of the caller.",
    "GET /responders":
        "Lists who responds for the caller, and for whom the caller does.",
    "POST /push-tokens":
        """
    Registers a device. It belongs to whoever has registered it last, until the session ends in which \
    that was done.
    """,
    "POST /responders":
        "Asks somebody to respond for the caller.",
    "POST /responders/:id/accept":
        "Agrees to respond for somebody.",
    "cancel-alert":
        "Ends an alert.",
    "cancel-notification":
        "Takes back a message that has not been sent yet.",
    "get-active-alert":
        "The caller's alert, or null.",
    "get-check-in-status":
        "When the caller has checked in and has to again, and how they are.",
    "process-check-in":
        """
    Says that the caller is well, and by when they will say so again. Each call takes the place of the \
    one before.
    """,
    "push-tokens":
        "The devices that the caller's messages go to.",
    "responders":
        """
    Who is told when the caller misses a check-in or calls for help, and for whom the caller has been \
    asked to respond.
    """,
    "schedule-notification":
        "The same for a time in the future, at most a year from now.",
    "send-push-notification":
        """
    Sends a message to somebody's devices. Its delivery is a job; the answer says that it was accepted.
    """,
    "trigger-alert":
        "Calls for help: the responders are told at once.",
]
