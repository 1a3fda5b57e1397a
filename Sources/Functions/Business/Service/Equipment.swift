public import Swiftlet

/// The customers' machines.
public let equipment = Function("equipment") {
    equipmentResource.routes(.list, .create, .update, .delete)
    equipmentWithHistory.routes(.get)
}

let equipmentResource = Resource("equipment", scope: .tenant) { equipmentRules() }

/// One machine, with the calls for help that it caused.
private let equipmentWithHistory = Resource("equipment", scope: .tenant) {
    equipmentRules()
    computed(
        "serviceHistory",
        from: "service_tickets",
        """
        coalesce(jsonb_agg(jsonb_build_object('id', o.id, 'ticket_number', o.ticket_number, 'title', o.title,
            'status', o.status, 'created_at', o.created_at) ORDER BY o.created_at DESC), '[]')
        """,
        where: "o.equipment_id = t.id"
    )
}

@ListBuilder<ResourceRule>
private func equipmentRules() -> [ResourceRule] {
    filter("customer_id")
    filter("status", on: "equipment_status")
    filter("contract_id")
    search("serial_number", "model_number", "manufacturer", "asset_tag")
    order("-install_date")
    alias("model_number", as: "model")
    alias("equipment_status", as: "status")
    alias("description", as: "name")
    alias("location_description", as: "location_name")
    alias("meter_type", as: "type")
    alias("warranty_expires_date", as: "warranty_end_date")
    alias("lease_expires_date", as: "lease_end_date")
    alias("next_service_due_date", as: "next_service_date")
    alias("service_contract_number", as: "contract_number")
    joined("customer_name", from: "business_records", column: "company_name", by: "customer_id")
    computed("under_contract", "t.service_contract_number IS NOT NULL", needs: "service_contract_number")
}

/// What the machines' meters said.
public let meterReadings = Function("meter-readings") {
    readingResource.routes(.list, .get, .create)
}

private let readingResource = Resource("meter_readings", scope: .tenant) {
    filter("equipment_id")
    range("reading", on: "reading_date")
    order("-reading_date")
    alias("bw_meter_reading", as: "meter_black")
    alias("color_meter_reading", as: "meter_color")
    alias("reading_method", as: "source")
    computed(
        "meter_total",
        "coalesce(t.bw_meter_reading::bigint + t.color_meter_reading, t.bw_meter_reading, t.color_meter_reading)",
        needs: "bw_meter_reading",
        "color_meter_reading"
    )
}
