package import SwiftletHTTP

/// A place for objects. Each of its calls keeps event loops free.
package protocol ObjectStore: Sendable {
    /// Begins an object that nobody sees until it is committed.
    func begin(_ key: ObjectKey, _ contentType: MediaType) async throws -> any ObjectUpload
    /// nil if there is none.
    func open(_ key: ObjectKey) async throws -> StoredObject?
    /// Makes a content that came in several requests an object; the store may take its file, or copy it. One call for a key.
    func adopt(_ partial: ObjectKey, of partials: PartialFolder, at key: ObjectKey) async throws
    /// Where contents grow that come in several requests; nil for a store that has no folder for them.
    var partials: PartialFolder? { get }
    /// Does nothing if there is none. A cancelled task waits for it, too.
    func delete(_ key: ObjectKey) async throws
    /// Visits the objects whose keys begin with the folder, all without one; those below `skipped` are left out. Objects
    /// that come or go meanwhile may be among them or not. The pages are of any size, and in no order.
    func list(_ folder: ObjectKey?, skipping skipped: ObjectKey?, _ visit: @escaping ObjectPageVisitor) async throws
    /// Throws ``StorageError`` if objects cannot be stored here. Changes nothing that stays.
    func probe() async throws
    /// Whether there is anything at all here: a folder that is missing or empty is rather a disk that is not mounted.
    func isFilled() async throws -> Bool
}

extension ObjectStore {
    package func isFilled() async throws -> Bool { true }
}

package typealias ObjectPageVisitor = @Sendable ([ListedObject]) throws -> Void

/// An object of a list.
package struct ListedObject: Sendable {
    package let key: ObjectKey
    /// As the store counts them: a folder that keeps types counts their line too.
    package let bytes: Int
    /// Another one when the content is another.
    package let stamp: String

    package init(key: ObjectKey, bytes: Int, stamp: String) {
        self.key = key
        self.bytes = bytes
        self.stamp = stamp
    }
}

/// An object on its way into a store. One call at a time; the last one is ``commit()`` or ``abandon()``.
package protocol ObjectUpload: Sendable {
    func append(_ bytes: [UInt8]) async throws
    /// Makes the object visible at once and as a whole, in place of one that had its key.
    func commit() async throws
    /// Removes what there is so far. A cancelled task waits for it, too.
    func abandon() async
}
