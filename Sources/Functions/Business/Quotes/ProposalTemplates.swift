public import Swiftlet

/// Texts that proposals start from.
public let proposalTemplates = Function("proposal-templates") {
    resource.routes()
}

private let resource = Resource("proposal_templates", scope: .tenant) {
    filter("category")
    filter("is_active")
    search("name", "description")
    required("name")
}
