public import Foundation
public import SwiftletClient

/// What customers are asked to sign, and the texts it starts from.
public struct ProposalService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func proposals(
        status: OfferStatus? = nil,
        customer: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) async throws -> Page<Proposal> {
        try await client.requestPage(
            .proposals(status: status, customer: customer, search: search, page: page, limit: limit)
        )
    }

    public func proposal(_ id: String) async throws -> Proposal { try await client.request(.proposal(id)) }

    @discardableResult
    public func createProposal(_ proposal: NewProposal) async throws -> Proposal {
        try await client.request(.createProposal(proposal))
    }

    @discardableResult
    public func updateProposal(
        _ id: String,
        _ changes: ProposalChanges,
        clearing: [String] = []
    ) async throws -> Proposal {
        try await client.request(.updateProposal(id, changes, clearing: clearing))
    }

    /// One that is accepted has won its deal, and has a contract.
    @discardableResult
    public func moveProposal(_ id: String, to status: OfferStatus) async throws -> Proposal {
        try await client.request(.moveProposal(id, to: status))
    }

    public func sendProposal(_ id: String) async throws { try await client.requestVoid(.sendProposal(id)) }

    public func pdf(_ id: String) async throws -> Data { try await client.requestData(.proposalPDF(id)) }

    public func deleteProposal(_ id: String) async throws { try await client.requestVoid(.deleteProposal(id)) }

    public func templates(category: String? = nil) async throws -> [ProposalTemplate] {
        try await client.requestArray(.proposalTemplates(category: category))
    }

    public func template(_ id: String) async throws -> ProposalTemplate {
        try await client.request(.proposalTemplate(id))
    }

    @discardableResult
    public func createTemplate(_ template: ProposalTemplateFields) async throws -> ProposalTemplate {
        try await client.request(.createProposalTemplate(template))
    }

    @discardableResult
    public func updateTemplate(_ id: String, _ changes: ProposalTemplateFields) async throws -> ProposalTemplate {
        try await client.request(.updateProposalTemplate(id, changes))
    }

    public func deleteTemplate(_ id: String) async throws { try await client.requestVoid(.deleteProposalTemplate(id)) }
}
