public import Swiftlet

/// The customers' machines.
public let equipment = Function("equipment") {
    equipmentResource.routes(.list, .create, .update, .delete)
    Get("/:id", machine).answering(equipmentResource.rowSchema)
}

let equipmentResource = Resource("equipment", scope: .tenant) {
    Filter("customer_id")
    Filter("status", on: "equipment_status")
    Filter("contract_id")
    Search("serial_number", "model_number", "manufacturer", "asset_tag")
    DefaultOrder("-install_date")
    Alias("model_number", as: "model")
    Alias("equipment_status", as: "status")
    Alias("description", as: "name")
    Alias("location_description", as: "location_name")
    Alias("meter_type", as: "type")
    Alias("warranty_expires_date", as: "warranty_end_date")
    Alias("lease_expires_date", as: "lease_end_date")
    Alias("next_service_due_date", as: "next_service_date")
    Alias("service_contract_number", as: "contract_number")
    Joined("customer_name", from: "business_records", column: "company_name", by: "customer_id")
    Computed("under_contract", "t.service_contract_number IS NOT NULL", needs: "service_contract_number")
}

private let serviceHistory = Resource("service_tickets", scope: .tenant) {
    ChildOf(equipmentResource, by: "equipment_id")
}

/// Gets one machine, with the latest calls for help that it caused.
private func machine(_ request: Request, _ context: Context) async throws -> Response {
    let id = context.parameters["id"]
    var machine = try await equipmentResource.get(id, in: context).object()
    let tickets = try await serviceHistory.list(request, in: context, parentKey: id)
    machine["serviceHistory"] = .array(tickets.map { .object($0.object()) })
    return .json(.object(machine))
}

/// What the machines' meters said.
public let meterReadings = Function("meter-readings") {
    readingResource.routes(.list, .get, .create)
}

private let readingResource = Resource("meter_readings", scope: .tenant) {
    Filter("equipment_id")
    RangeFilter("reading", on: "reading_date")
    DefaultOrder("-reading_date")
    Alias("bw_meter_reading", as: "meter_black")
    Alias("color_meter_reading", as: "meter_color")
    Alias("reading_method", as: "source")
    Computed(
        "meter_total",
        "coalesce(t.bw_meter_reading::bigint + t.color_meter_reading, t.bw_meter_reading, t.color_meter_reading)",
        needs: "bw_meter_reading",
        "color_meter_reading"
    )
}
