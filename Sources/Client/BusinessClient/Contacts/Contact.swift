public import Foundation
import SwiftletClient

/// A person at a company.
public struct Contact: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var tenantId: String?
    public var contactName: String?
    public var firstName: String?
    public var lastName: String?
    public var email: String?
    public var phone: String?
    public var mobilePhone: String?
    public var title: String?
    public var department: String?
    public var role: String?
    public var companyId: String?
    public var companyName: String?
    public var ownerId: String?
    public var addressLine1: String?
    public var city: String?
    public var state: String?
    public var postalCode: String?
    public var preferredContactMethod: String?
    public var doNotContact: Bool?
    public var notes: String?
    public var isActive: Bool?
    public var createdAt: Date?
    public var updatedAt: Date?

    public init(id: String) {
        self.id = id
    }
}

/// A person to be added, or what changes of one; nil leaves a field as it is.
public struct ContactFields: Encodable, Sendable, Hashable {
    /// First and last name in one, if they are not known apart.
    public var contactName: String?
    public var firstName: String?
    public var lastName: String?
    public var email: String?
    public var phone: String?
    public var mobilePhone: String?
    public var title: String?
    public var department: String?
    public var companyId: String?
    public var role: String?
    public var notes: String?
    public var addressLine1: String?
    public var city: String?
    public var state: String?
    public var postalCode: String?

    public init(
        contactName: String? = nil,
        firstName: String? = nil,
        lastName: String? = nil,
        email: String? = nil,
        phone: String? = nil,
        mobilePhone: String? = nil,
        title: String? = nil,
        department: String? = nil,
        companyId: String? = nil,
        role: String? = nil,
        notes: String? = nil,
        addressLine1: String? = nil,
        city: String? = nil,
        state: String? = nil,
        postalCode: String? = nil
    ) {
        self.contactName = contactName
        self.firstName = firstName
        self.lastName = lastName
        self.email = email
        self.phone = phone
        self.mobilePhone = mobilePhone
        self.title = title
        self.department = department
        self.companyId = companyId
        self.role = role
        self.notes = notes
        self.addressLine1 = addressLine1
        self.city = city
        self.state = state
        self.postalCode = postalCode
    }
}
