public import Swiftlet

/// Texts that proposals start from.
public let proposalTemplates = Function("proposal-templates") {
    resource.routes()
}

private let resource = Resource("proposal_templates", scope: .tenant) {
    Filter("category")
    Filter("is_active")
    Search("name", "description")
    Required("name")
}
