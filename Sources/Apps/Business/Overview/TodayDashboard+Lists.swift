import Swiftlet

/// The rows that the home screen shows.
func lists(_ tenant: TenantID, _ user: String, _ days: Days) -> [DatabasePart] {
    let (today, tomorrow) = (days.today, days.tomorrow)
    return [
        DatabasePart(
            "tasks_due_today",
            of: "tasks",
            """
            SELECT id, title, status, priority, due_date FROM tasks
            WHERE tenant_id = \(tenant) AND assigned_to::text = \(user) AND \(isOpenTask)
            AND due_date >= \(today) AND due_date < \(tomorrow) ORDER BY due_date, id LIMIT 10
            """
        ),
        DatabasePart(
            "tasks_overdue",
            of: "tasks",
            """
            SELECT id, title, status, priority, due_date FROM tasks
            WHERE tenant_id = \(tenant) AND assigned_to::text = \(user) AND \(isOpenTask) AND due_date < \(today)
            ORDER BY due_date, id LIMIT 10
            """
        ),
        DatabasePart(
            "recent_activities",
            of: "business_record_activities",
            """
            SELECT id, activity_type AS type, subject AS title, business_record_id AS entity_id, created_by AS user_id,
                   created_at
            FROM business_record_activities WHERE tenant_id = \(tenant) ORDER BY created_at DESC NULLS LAST, id LIMIT 10
            """
        ),
        DatabasePart(
            "tickets_today",
            of: "service_tickets",
            """
            SELECT id, 'ticket' AS type, title, 'service_ticket' AS entity_type, id AS entity_id, scheduled_date
            FROM service_tickets WHERE tenant_id = \(tenant) AND assigned_technician_id::text = \(user)
            AND scheduled_date >= \(today) AND scheduled_date < \(tomorrow)
            AND status::text NOT IN ('resolved', 'closed', 'completed', 'cancelled')
            ORDER BY scheduled_date, id LIMIT 10
            """
        ),
        DatabasePart(
            "activities_today",
            of: "business_record_activities",
            """
            SELECT id, activity_type AS type, subject AS title, 'business_record' AS entity_type,
                   business_record_id AS entity_id, scheduled_date
            FROM business_record_activities WHERE tenant_id = \(tenant) AND created_by::text = \(user)
            AND scheduled_date >= \(today) AND scheduled_date < \(tomorrow) AND completed_date IS NULL
            ORDER BY scheduled_date, id LIMIT 10
            """
        ),
        DatabasePart(
            "pending_approvals",
            of: "proposals",
            """
            SELECT id, 'proposal' AS type, title, proposal_number, total_amount, created_by, created_at FROM proposals
            WHERE tenant_id = \(tenant) AND status::text = 'pending_approval' ORDER BY created_at, id LIMIT 10
            """
        ),
    ]
}
