import SwiftletWeb

/// Called when a job was committed; it must return at once.
package enum WorkAnnouncementKey: ContextKey {
    package static let defaultValue: @Sendable () -> Void = {}
}
