public import Swiftlet

/// People who check in by a deadline, and those who are told when somebody does not.
public let checkIns = App(
    "check-ins",
    functions: [
        cancelAlert,
        cancelNotification,
        getActiveAlert,
        getCheckInStatus,
        processCheckIn,
        pushTokens,
        responders,
        scheduleNotification,
        sendPushNotification,
        triggerAlert,
    ],
    settings: checkInsSettings,
    demoData: [demoCheckIns],
    summaries: documentation
)
