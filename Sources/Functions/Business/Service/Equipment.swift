public import Swiftlet

/// The customers' machines.
public let equipment = Function("equipment") {
    equipmentResource.routes(.list, .create, .update, .delete)
    get("/:id", machine).answering(equipmentResource.rowShape)
}

let equipmentResource = Resource("equipment", scope: .tenant) {
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

private let serviceHistory = Resource("service_tickets", scope: .tenant) {
    parent(equipmentResource, by: "equipment_id")
}

/// One machine, with the latest calls for help that it caused.
private func machine(_ request: Request, _ context: Context) async throws -> Response {
    let id = context.parameters["id"]
    var machine = try await equipmentResource.get(id, context).object()
    let tickets = try await serviceHistory.list(request, context, parentKey: id)
    machine["serviceHistory"] = .array(tickets.map { .object($0.object()) })
    return .json(.object(machine))
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
