import Swiftlet

let isOpenTask: SQL = "status::text NOT IN ('completed', 'cancelled')"

func counts(_ tenant: TenantID, _ user: String, _ days: Days) -> [DatabasePart] {
    let (today, tomorrow, month) = (days.today, days.tomorrow, days.start(of: "month"))
    return [
        DatabasePart("day", of: "tenants", "SELECT \(days.date)::text AS date WHERE \(tenant) <> ''"),
        DatabasePart(
            "tasks",
            of: "tasks",
            """
            SELECT count(*) FILTER (WHERE assigned_to::text = \(user)) AS mine,
                   count(*) FILTER (WHERE assigned_to::text = \(user) AND due_date < \(today)) AS my_overdue,
                   count(*) AS open,
                   count(*) FILTER (WHERE due_date >= \(today) AND due_date < \(tomorrow)) AS due_today
            FROM tasks WHERE tenant_id = \(tenant) AND \(isOpenTask)
            """
        ),
        DatabasePart(
            "tickets",
            of: "service_tickets",
            """
            SELECT count(*) AS open FROM service_tickets WHERE tenant_id = \(tenant)
            AND status::text NOT IN ('resolved', 'closed', 'completed', 'cancelled')
            """
        ),
        DatabasePart(
            "ticket_appointments",
            of: "service_tickets",
            """
            SELECT count(*) FILTER (WHERE assigned_technician_id::text = \(user) AND scheduled_date < \(tomorrow)) AS today,
                   count(*) FILTER (WHERE scheduled_date >= now() AT TIME ZONE 'UTC') AS upcoming
            FROM service_tickets WHERE tenant_id = \(tenant) AND scheduled_date >= \(today)
            AND status::text NOT IN ('resolved', 'closed', 'completed', 'cancelled')
            """
        ),
        DatabasePart(
            "activity_appointments",
            of: "business_record_activities",
            """
            SELECT count(*) FILTER (WHERE created_by::text = \(user) AND scheduled_date < \(tomorrow)) AS today,
                   count(*) FILTER (WHERE scheduled_date >= now() AT TIME ZONE 'UTC') AS upcoming
            FROM business_record_activities
            WHERE tenant_id = \(tenant) AND scheduled_date >= \(today) AND completed_date IS NULL
            """
        ),
        DatabasePart(
            "invoices",
            of: "invoices",
            """
            SELECT count(*) AS overdue FROM invoices WHERE tenant_id = \(tenant)
            AND (due_date < \(today) AND lower(invoice_status::text) IN ('open', 'sent', 'viewed', 'partially_paid')
                 OR lower(invoice_status::text) = 'overdue')
            """
        ),
        DatabasePart(
            "deals",
            of: "deals",
            """
            SELECT coalesce(sum(amount) FILTER (WHERE status::text = 'open'), 0) AS pipeline_value,
                   coalesce(sum(amount) FILTER (WHERE status::text = 'won' AND actual_close_date >= \(month)
                                                AND actual_close_date < \(tomorrow)), 0) AS monthly_revenue,
                   coalesce(sum(amount) FILTER (WHERE status::text = 'won' AND actual_close_date >= \(today)
                                                AND actual_close_date < \(tomorrow)), 0) AS today_revenue,
                   count(*) FILTER (WHERE status::text = 'won' AND actual_close_date >= \(today)
                                    AND actual_close_date < \(tomorrow)) AS won_today
            FROM deals WHERE tenant_id = \(tenant)
            AND (status::text = 'open' OR status::text = 'won' AND actual_close_date >= \(month))
            """
        ),
        DatabasePart(
            "leads",
            of: "business_records",
            """
            SELECT count(*) AS today FROM business_records WHERE tenant_id = \(tenant)
            AND created_at >= \(today) AND created_at < \(tomorrow) AND lower(record_type::text) IN ('lead', 'prospect')
            """
        ),
        DatabasePart(
            "approvals",
            of: "proposals",
            "SELECT count(*) AS pending FROM proposals WHERE tenant_id = \(tenant) AND status::text = 'pending_approval'"
        ),
    ]
}
