// Made by `swiftlet generate summaries` from the doc comments beside the routes and their handlers.

/// What `/docs` and `/openapi.json` say of the functions and routes.
let documentation: [String: String] = [
    "DELETE /service-tickets/:id":
        "Deletes a ticket with its files. It is locked first, so that no file is attached meanwhile.",
    "DELETE /service-tickets/:id/attachments/:attachment":
        "Deletes a file of a ticket.",
    "GET /activities/recent":
        "Lists the activities. The same as the list, for an app that expects no more than the rows.",
    "GET /contract-renewal/upcoming":
        """
    Lists the contracts that end within `days`, today included, the next one first. The risk is 100 on \
    the last day.
    """,
    "GET /customers/:id":
        "Gets a customer by its id, or by its customer number, which people read aloud.",
    "GET /equipment/:id":
        "Gets one machine, with the latest calls for help that it caused.",
    "GET /proposals/:id/export/pdf":
        "The proposal as it is sent to the customer. Internal notes are not in it.",
    "GET /proposals/:id/pdf":
        "The proposal as it is sent to the customer. Internal notes are not in it.",
    "GET /service-tickets/:id/attachments/:attachment":
        "Downloads a file of a ticket.",
    "GET /service-tickets/dispatch-load":
        "How much each technician has to do, the busiest first.",
    "GET /service-tickets/stats":
        "The tenant's tickets in numbers; `?my=true` counts the caller's only.",
    "GET /service-tickets/vocabulary":
        "The words that the app draws; others are stored too.",
    "GET /tasks/stats":
        """
    The counts on the app's home screen: one flat object, and the same counts by status and by priority.\
    \nA task is overdue if it was due before today (of `tz`, or UTC) and is neither completed nor \
    cancelled. `?my=true` only counts the caller's tasks.
    """,
    "GET /team-reports/activities":
        "Counts what everybody has done in the last `days`, today included.",
    "GET /team-reports/leaderboard":
        "Who won most in this week, month, quarter or year.",
    "GET /team-reports/no-touch":
        "Open deals that nobody has done anything about for so many days.",
    "GET /team-reports/pipeline":
        "Sums the open deals by stage and by person.",
    "PATCH /activities/:id/complete":
        "Marks an activity as done now, with what the body says of it.",
    "PATCH /notifications/:id/read":
        "Marks a notification as read.",
    "PATCH /notifications/read-all":
        "Marks all notifications of the caller as read.",
    "PATCH /opportunities/:id/stage":
        "Moves a deal to another stage.",
    "PATCH /proposals/:id/status":
        "Changes what became of a proposal.",
    "PATCH /tasks/bulk":
        """
    Sets the same values on many tasks: `{"task_ids":[…],"status":…}` or \
    `{"taskIds":[…],"patch":{"status":…}}`.
    """,
    "POST /activities/:id/complete":
        "Marks an activity as done now, with what the body says of it.",
    "POST /contract-renewal/:id/renew":
        """
    The contract that begins when this one ends, for a year. Asking twice, or two who ask at once, get \
    the same one; a database without links between contracts knows it by its number.
    """,
    "POST /leads/:id/convert":
        "Makes a customer of a lead; of one who is a customer already, it changes nothing.",
    "POST /notifications/:id/mark-read":
        "Marks a notification as read.",
    "POST /notifications/mark-all-read":
        "Marks all notifications of the caller as read.",
    "POST /opportunities":
        "Opens a deal, in one transaction with the stage that it may make.",
    "POST /proposals":
        "Creates a proposal, in one transaction with what becomes of it.",
    "POST /proposals/:id/send":
        "Sends a proposal; one that was sent or accepted stays what it is.",
    "POST /service-tickets":
        "Opens a ticket, in one transaction with the first line of its history.",
    "POST /service-tickets/:id/attachments":
        """
    Attaches files to a ticket. The files first, then their rows, all or none: a row never names a file \
    that is not there.
    """,
    "POST /tasks/bulk/delete":
        "Deletes many tasks.",
    "POST /tasks/bulk/update":
        """
    Sets the same values on many tasks: `{"task_ids":[…],"status":…}` or \
    `{"taskIds":[…],"patch":{"status":…}}`.
    """,
    "activities":
        "Calls, mails, meetings and notes, of all companies together.",
    "business-records":
        "Companies of every kind: leads, prospects, customers and former customers.",
    "contacts":
        "People at companies. Who starts out (level 1) sees and changes their own only.",
    "contract-renewal":
        "Contracts that end soon, and how they go on.",
    "contracts":
        "What customers pay for month by month, and until when.",
    "customers":
        "Customers, and those who were. What is created here is a customer, whatever the app says of it.",
    "equipment":
        "The customers' machines.",
    "invoices":
        "What customers owe, line by line.",
    "leads":
        "Leads and prospects. Their activities can be logged for any company, as the app does.",
    "meter-readings":
        "What the machines' meters said.",
    "notifications":
        "Notifications of the signed-in user, who only sees their own.",
    "opportunities":
        "Deals, from the first talk to the signature.",
    "proposal-templates":
        "Texts that proposals start from.",
    "proposals":
        "What a customer is asked to sign.",
    "quotes":
        "What a lead or a customer is offered, line by line.",
    "search":
        """
    Finds a text in everything that the app shows, in one round trip: exact matches first, then those \
    that begin with it.
    """,
    "service-tickets":
        "Calls for help, and what happened to each of them.",
    "tasks":
        "Tasks with comments and tracked time, statistics, and bulk changes.",
    "team-reports":
        "How the team is doing, for managers (level 4 and above).",
    "today-dashboard":
        """
    The home screen: what the caller has to do today, and how the business is going. Days are those of \
    `tz`, or UTC's.\
    \nIts parts are read in one round trip; one that fails is null and named in `degraded`.
    """,
]
