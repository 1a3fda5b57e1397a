import SwiftletWeb

/// Which rows of a table a caller can reach at all: those of their tenant, their own, or those of their device.
public struct RowScope: Hashable, Sendable {
    /// Whose id a row has to hold. It comes from the verified token and nowhere else.
    enum Holder: Sendable {
        case tenant, person, device
    }

    let holder: Holder
    /// The column that holds the id.
    let column: Identifier
    /// The column that must equal the caller's user id, in addition to the tenant; nil when rows are tenant-wide.
    let owner: Identifier?

    /// Every row of the caller's tenant: `tenant_id`.
    public static let tenant = RowScope(holder: .tenant, column: "tenant_id", owner: nil)

    /// Only the caller's own rows within the tenant.
    public static func owner(_ column: Identifier) -> RowScope {
        RowScope(holder: .tenant, column: "tenant_id", owner: column)
    }

    /// The caller's own rows, in a tenant or not: `user_id`.
    public static let user = RowScope.user("user_id")

    /// The same with another column.
    public static func user(_ column: Identifier) -> RowScope {
        RowScope(holder: .person, column: column, owner: nil)
    }

    /// The rows of the device whose session the caller has, see `POST /devices`: `device_id`.
    public static let device = RowScope(holder: .device, column: "device_id", owner: nil)
}

extension RowScope {
    /// Who may call the routes, unless they say otherwise.
    var access: Route.Access { holder == .tenant ? .user : .person }

    /// That of rows inside of a row in this scope.
    var withoutOwner: RowScope { RowScope(holder: holder, column: column, owner: nil) }
}

extension RowScope {
    /// For those who ask why a row is not found.
    var description: RouteSchema.Scope {
        let subject = ["sub"]
        switch holder {
        case .tenant:
            let tenant = (name: column.name, claim: ["app_metadata", "tenant_id"] as [String]?)
            guard let owner else { return RouteSchema.Scope(text: ".tenant", columns: [tenant]) }
            return RouteSchema.Scope(
                text: ".owner(\"\(owner.name)\")",
                columns: [tenant, (name: owner.name, claim: subject)]
            )
        case .person:
            let text = column.name == RowScope.user.column.name ? ".user" : ".user(\"\(column.name)\")"
            return RouteSchema.Scope(text: text, columns: [(name: column.name, claim: subject)])
        case .device:
            return RouteSchema.Scope(
                text: ".device",
                columns: [(name: column.name, claim: ["app_metadata", "device_id"])]
            )
        }
    }
}
