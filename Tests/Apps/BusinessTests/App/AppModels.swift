import Foundation

// The models of the iOS app as far as it reads tasks and notifications: a member that is not optional here costs the
// app the whole screen when it is missing, null or of another type.

struct AppTask: Decodable {
    enum Status: String, Codable { case todo, inProgress = "in_progress", review, completed, cancelled }
    enum Priority: String, Codable { case low, medium, high, urgent }

    let id: String
    let title: String
    let status: Status
    let priority: Priority
    let tenantId: String?
    let description: String?
    let assignedTo: String?
    let createdBy: String?
    let projectId: String?
    let parentTaskId: String?
    let dueDate: Date?
    let startDate: Date?
    let createdAt: Date?
    let updatedAt: Date?
    let completedAt: Date?
    let estimatedHours: Int?
    let actualHours: Int?
    let completionPercentage: Int?
    let timeTracked: Int?
    let commentCount: Int?
    let attachmentCount: Int?
    let dependencies: [String]?
    let watchers: [String]?
    let tags: [String]?
    let customFields: [String: String]?
}

struct AppNewTask: Encodable {
    var title: String
    var description: String?
    var status = AppTask.Status.todo
    var priority = AppTask.Priority.medium
    var dueDate: Date?
    var estimatedHours: Int?
    var tags: [String]?
}

struct AppTaskStats: Decodable {
    let total: Int
    let todo: Int
    let inProgress: Int
    let review: Int
    let completed: Int
    let cancelled: Int
    let overdue: Int
}

struct AppTaskComment: Decodable {
    let id: String
    let taskId: String
    let userId: String
    let content: String
    let createdAt: Date?
    let userName: String?
}

struct AppTaskTimeLog: Decodable {
    let id: String
    let taskId: String
    let userId: String
    let minutes: Int
    let description: String?
    let createdAt: Date?
}

struct AppNotification: Decodable {
    let id: String
    let type: String?
    let title: String?
    let message: String?
    let entityType: String?
    let entityId: String?
    let isRead: Bool?
    let createdAt: Date?
}

struct AppPage<Item: Decodable>: Decodable {
    let data: [Item]
    let total: Int?
    let page: Int?
    let limit: Int?
    let unread: Int?
    let hasMore: Bool?
}

/// What the app shows of a refusal; a wrong type anywhere makes the body unreadable for it.
struct AppError: Decodable {
    let message: String?
    let code: String?
    let requestId: String?
    let error: String?
    let details: [String: String]?
}

enum AppCoding {
    /// Dates are taken in the strictest form that any build takes: whole seconds and `Z`.
    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil,
                let date = ISO8601DateFormatter().date(from: text)
            else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a date: \(text)") }
            return date
        }
        return decoder
    }

    static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }
}
